import subprocess
import sys

import pytest

import formicary_bench
from formicary.cli import main

HEAVY = {"numpy", "scipy", "pyarrow", "jinja2", "psutil"}


@pytest.mark.parametrize(
    "module",
    [
        "formicary_bench.cli",
        "formicary_bench.worker.worker",
        "formicary_bench.results.summary.summary",
        "formicary_bench.results.store.machine",
        "formicary_bench.reports.formats.terminal",
        "formicary_bench.reports.formats.html",
        "formicary_bench.statistics.percentiles",
    ],
)
def test_what_commands_import_loads_nothing_heavy(module):
    program = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not HEAVY & set(done.stdout.split())


@pytest.fixture
def without_libraries(monkeypatch):
    monkeypatch.setattr(formicary_bench, "_LIBRARIES", ("a_library_that_nobody_has",))


@pytest.mark.usefixtures("without_libraries")
@pytest.mark.parametrize(
    "arguments",
    [["bench", "list"], ["bench", "run", "quick"], ["lab", "measure", "ants"], ["lab", "merge", "a.json"]],
)
def test_commands_that_need_a_library_that_is_missing_say_so_at_once(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "needs a_library_that_nobody_has, which is not installed" in sentence
    assert sentence.endswith('pip install "formicary[bench]"')


@pytest.mark.usefixtures("without_libraries")
def test_the_import_of_a_library_that_is_missing_says_how_to_install_it():
    with pytest.raises(ModuleNotFoundError, match=r'pip install "formicary\[bench\]"') as caught:
        import a_library_that_nobody_has  # noqa: F401
    assert caught.value.name == "a_library_that_nobody_has"
