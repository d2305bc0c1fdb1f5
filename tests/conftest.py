"""What all tests share: async tests, the leak check, and how Hypothesis searches."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

pytest_plugins = [
    "pytester",
    "tests.plugins.missing",  # before those that import it, whose assertions pytest rewrites
    "tests.plugins.async_tests",
    "tests.plugins.browser",
    "tests.plugins.extras",
    "tests.plugins.garbage",
    "tests.plugins.leaks",
    "tests.plugins.namespaces",
    "tests.plugins.slowest",
    "tests.plugins.hosts",  # behind what it imports
    "tests.plugins.slurm",
    "tests.plugins.slurm_cluster",
]

# No deadlines: tests assert nothing about time. The gate takes the same examples every time, so that it fails
# for a reason in the change; the search for new ones happens on developers' machines.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, database=None)
settings.register_profile("deep", deadline=None, max_examples=5000)  # pytest --hypothesis-profile deep
# A script that starts tests in the background has them ignore Ctrl-C, and all that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Whoever runs the tests may have a narrow terminal; programs break their lines there.
os.environ.pop("COLUMNS", None)
settings.load_profile("ci" if os.environ.get("CI") else "default")
