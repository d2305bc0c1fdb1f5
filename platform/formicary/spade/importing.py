"""Has `import spade` in a program get this package."""

from __future__ import annotations

import sys
from importlib import import_module
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


def install() -> None:
    """Be `spade` for all that is imported from now on in this process, also where SPADE is installed."""
    sys.modules["spade"] = import_module(_PACKAGE)
    for name in _MODULES:
        sys.modules[f"spade.{name}"] = import_module(f"{_PACKAGE}.{name}")
