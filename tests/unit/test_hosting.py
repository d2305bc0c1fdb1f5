"""What a public host is given: workflows, templates for issues, and where to look for new versions."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner
from tests.plugins.paths import ROOT

HOST = ROOT / ".github"
WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (HOST / "workflows").iterdir()}
JOBS = [
    pytest.param(job, id=f"{name}-{key}")
    for name, text in WORKFLOWS.items()
    for key, job in yaml.safe_load(text)["jobs"].items()
]
SCHEMAS = {
    "github-workflows": "workflows/*.yml",
    "github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "github-issue-config": "ISSUE_TEMPLATE/config.yml",
    "dependabot": "dependabot.yml",
}


@pytest.mark.parametrize("schema", [*SCHEMAS])
def test_each_file_fits_its_schema(schema):
    files = [str(path) for path in HOST.glob(SCHEMAS[schema])]
    assert files
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", f"vendor.{schema}", *files])
    assert done.exit_code == 0, done.output


def test_they_run_with_each_python_that_we_support():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    supported = [name.rpartition(" ")[2] for name in project["classifiers"] if "Python :: 3." in name]
    jobs = yaml.safe_load(WORKFLOWS["ci.yml"])["jobs"]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == supported
    (set_up,) = [step for step in jobs["nightly"]["steps"] if "setup-python" in step.get("uses", "")]
    assert sorted(set_up["with"]["python-version"].split()) == supported


def test_the_sessions_that_they_run_are_those_of_nox():
    called = set(re.findall(r"nox -s \"?([a-z]+)", "".join(WORKFLOWS.values())))
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    assert called == {"tests", "package"}
    assert called < {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("job", JOBS)
def test_each_job_does_what_is_written_down_and_may_do_no_more(job):
    used = [step["uses"] for step in job.get("steps", ()) if "uses" in step]
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []
    assert "${{" not in "".join(step.get("run", "") for step in job.get("steps", ()))
    is_publishing = any("pypi-publish" in action for action in used)
    assert job.get("permissions", {}) == ({"id-token": "write"} if is_publishing else {})


@pytest.mark.parametrize("name", [*WORKFLOWS])
def test_workflows_may_only_read(name):
    assert yaml.safe_load(WORKFLOWS[name])["permissions"] == {"contents": "read"}
