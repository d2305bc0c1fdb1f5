"""A pytest plugin that saves a recording of the containers of each failed test.

`pytest -p formicary.testing.pytest_plugin`, or in `conftest.py`: `pytest_plugins =
["formicary.testing.pytest_plugin"]`. Recordings are in the folder `formicary-recordings`, or that of the
option `--formicary-recordings`.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from formicary.testing.recorded import Kept

_NO_FAILURES = {"Skipped", "XFailed"}
_running: dict[Any, tuple[Kept, ExitStack]] = {}


def pytest_addoption(parser: Any) -> None:
    """Add the option."""
    parser.getgroup("formicary").addoption(
        "--formicary-recordings",
        metavar="FOLDER",
        default="formicary-recordings",
        help="folder for recordings of the containers of failed tests",
    )


def pytest_runtest_setup(item: Any) -> None:
    """Start recording containers."""
    kept, stack = Kept(), ExitStack()
    stack.enter_context(kept.followed())
    _running[item] = kept, stack


def pytest_runtest_makereport(item: Any, call: Any) -> None:
    """Write and report a recording if the test failed; stop recording after its end."""
    if item not in _running:
        return
    kept, stack = _running[item]
    if call.when == "call" and call.excinfo is not None and call.excinfo.typename not in _NO_FAILURES:
        stack.close()
        if kept.is_empty:
            return
        folder = Path(item.config.rootpath, item.config.getoption("--formicary-recordings"))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', item.nodeid)[-150:]}.formicary"
        kept.write(path)
        item.add_report_section("call", "recording", f"what the containers did: formicary watch {path}")
    if call.when == "teardown":
        del _running[item]
        stack.close()
