"""Packages declare the group of their code, wherever it is moved within them."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

import formicary
import formicary_bench
from formicary.profiling.model.declarations import declared_group, declared_in, with_group
from formicary.profiling.model.groups import Rules
from formicary.profiling.model.profile import Frame
from formicary_bench.results.summary.cpu import RULES

ROOTS = [Path(package.__path__[0]) for package in (formicary, formicary_bench)]

# A module that moves has its new name here, and its old group.
GROUPS = {
    "formicary.errors": "platform",
    "formicary.core.agent": "platform",
    "formicary.core.mailbox": "platform",
    "formicary.core.scheduler": "platform",
    "formicary.container.container": "platform",
    "formicary.delivery.dispatcher": "platform",
    "formicary.cli.run": "platform",
    "formicary.doctor.machine": "platform",
    "formicary.fipa.language": "platform",
    "formicary.groups.distributor": "platform",
    "formicary.fipa.management_agent": "platform",
    "formicary.management.membership.members": "platform",
    "formicary.observe.metrics": "platform",
    "formicary.server.managed": "platform",
    "formicary.testing.virtual_clock": "platform",
    "formicary.transport.router": "communication",
    "formicary.transport.link.link": "communication",
    "formicary.transport.link.outbox": "communication",
    "formicary.transport.direct.connection": "communication",
    "formicary.transport.xmpp.stream": "communication",
    "formicary.xmpp.agent": "communication",
    "formicary.xmpp.client": "communication",
    "formicary.directory.interface": "directory",
    "formicary.directory.central.client": "directory",
    "formicary.directory.model.index": "directory",
    "formicary.directory.replicated.directory": "directory",
    "formicary.profiling.accounting.ledger": "runtime",
    "formicary.profiling.sampling.child": "runtime",
    "formicary_bench.subjects.ours.behaviours": "agents",
    "formicary_bench.subjects.ours.open_loop": "agents",
    "formicary_bench.subjects.baselines.tcp": "agents",
    "formicary_bench.subjects.variants.logins": "agents",
    "formicary_bench.subjects.drivers.driven": "agents",
    "formicary_bench.worker.workload": "agents",
    "formicary_bench.vocabulary.values": "agents",
    "formicary_bench.subjects.variants.delivery.designs": "communication",
    "formicary_bench.subjects.drivers.driver": "runtime",
    "formicary_bench.runner.observers.profiled": "runtime",
    "formicary_bench.worker.creation": "runtime",
    "formicary_bench.worker.worker": "runtime",
}


@pytest.mark.parametrize(
    "package",
    [init.parent for root in ROOTS for init in root.glob("*/__init__.py")],
    ids=lambda path: path.name,
)
def test_every_package_declares_its_group(package):
    """What is below it has the same until it declares another."""
    assert declared_in(package / "__init__.py"), f"{package} declares no CPU_GROUP"


@pytest.mark.parametrize("module", GROUPS)
def test_modules_have_the_group_that_published_figures_are_by(module):
    found = find_spec(module)
    assert found, f"{module} has moved: put its new name here, and leave its group"
    frame = with_group(Frame("f", found.origin))
    assert frame.group == GROUPS[module]
    assert {rules.group_of_stack([frame]) for rules in (Rules(), RULES)} == {GROUPS[module]}


def test_a_module_that_moves_within_its_package_keeps_its_group(tmp_path):
    package = tmp_path / "formicary"
    shutil.copytree(ROOTS[0] / "transport", package / "transport")
    shutil.copy(ROOTS[0] / "__init__.py", package)
    module = package / "transport" / "link" / "link.py"
    assert declared_group(str(module)) == "communication"
    (package / "transport" / "wires").mkdir()
    (package / "transport" / "wires" / "__init__.py").touch()
    moved = module.rename(package / "transport" / "wires" / "wire.py")
    assert declared_group(str(moved)) == "communication"
    assert declared_group(str((package / "transport").rename(package / "net") / "wires" / "wire.py")) == (
        "communication"
    )


def test_a_module_may_differ_from_its_package_and_a_package_from_the_one_around_it(tmp_path):
    write(tmp_path / "own", "__init__.py", 'CPU_GROUP = "platform"')
    own = write(tmp_path / "own", "own.py", '"""Its own."""\nimport sys\nCPU_GROUP = "directory"')
    plain = write(tmp_path / "own", "plain.py", "")
    write(tmp_path / "own/below", "__init__.py", 'CPU_GROUP = "agents"')
    below = write(tmp_path / "own/below", "plain.py", "")
    assert [declared_group(file) for file in (own, plain, below)] == ["directory", "platform", "agents"]


@pytest.mark.parametrize(
    "source",
    [
        "",
        "# CPU_GROUP = 'platform'",
        "if True:\n    CPU_GROUP = 'platform'",
        "CPU_GROUP = 'no group of ours'",
        "CPU_GROUP = 'server'",
        "CPU_GROUP = 7",
        "CPU_GROUP = (",
        "CPU_GROUP = '\0'",
    ],
)
def test_what_declares_nothing(tmp_path, source):
    assert declared_group(write(tmp_path, "script.py", source)) == ""
    assert declared_group(str(tmp_path / "absent.py")) == ""
    assert declared_group("<string>") == ""


def test_profiles_of_former_versions_keep_their_groups():
    site = "/lib/python3.11/site-packages"
    former = {
        "formicary/accounts/client.py": "communication",
        "formicary/xmpp_agent.py": "communication",
        "formicary/run_queue.py": "platform",
        "formicary/directory/copied.py": "directory",
        "formicary_bench/platforms/behaviours.py": "agents",
        "formicary_bench/designs/outbox.py": "communication",
        "formicary_bench/engine/worker.py": "runtime",
    }
    assert {file: RULES.group_of_stack([Frame("f", f"{site}/{file}")]) for file in former} == former


def write(folder, name, source):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(source)
    return str(folder / name)
