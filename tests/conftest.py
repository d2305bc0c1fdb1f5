"""What all tests share: async tests, the leak check, and how Hypothesis searches."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir
from tests.plugins.paths import ROOT

if TYPE_CHECKING:
    import pytest

pytest_plugins = [
    "pytester",
    "tests.plugins.missing",  # before those that import it, whose assertions pytest rewrites
    "tests.plugins.async_tests",
    "tests.plugins.browser",
    "tests.plugins.extras",
    "tests.plugins.garbage",
    "tests.plugins.leaks",
    "tests.plugins.namespaces",
    "tests.plugins.costs",
    "tests.plugins.isolation",
    "tests.plugins.tiers",
    "tests.plugins.hosts",  # behind what it imports
    "tests.plugins.slurm",
    "tests.plugins.slurm_cluster",
]

# No deadlines, and no example is too slow: tests assert nothing about time. The gate takes the same examples
# every time, so that it fails for a reason in the change; the second tier and developers' machines search for
# new ones.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", _PATIENT)
settings.register_profile("ci", _PATIENT, derandomize=True, print_blob=True, database=None)
settings.register_profile("full", _PATIENT, max_examples=1000, print_blob=True)
set_hypothesis_home_dir(ROOT / ".hypothesis")  # the working folder is each test's own
# A script that starts tests in the background has them ignore Ctrl-C, and all that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how Hypothesis searches, unless the command line does."""
    if not config.getoption("hypothesis_profile", None):
        settings.load_profile(
            "full" if config.getoption("full") else "ci" if os.environ.get("CI") else "default"
        )
