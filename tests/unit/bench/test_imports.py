import subprocess
import sys

import pytest

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
