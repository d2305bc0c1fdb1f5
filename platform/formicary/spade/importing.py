"""Has `import spade` in a program get this package."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

_PACKAGE: Final = "formicary.spade"
_MODULES: Final = (
    "agent",
    "behaviour",
    "container",
    "fipa_message",
    "message",
    "presence",
    "template",
    "trace",
)


_STAND_IN: Final = str(Path(__file__).with_name("stand_in"))
"""A folder with a package `spade` that installs this one."""


def install() -> None:
    """Be `spade` for all that is imported from now on, also where SPADE is installed.

    It is so in this process, and in those that it starts from now on.
    """
    if _STAND_IN not in sys.path:
        sys.path.insert(0, _STAND_IN)  # which multiprocessing hands on
        paths = _STAND_IN, os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    sys.modules["spade"] = import_module(_PACKAGE)
    for name in _MODULES:
        sys.modules[f"spade.{name}"] = import_module(f"{_PACKAGE}.{name}")
