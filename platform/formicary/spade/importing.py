"""Makes `import spade` in a program return this package."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

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
_LEFT_OUT: Final = {
    "cli": "SPADE's command line starts an XMPP server, which is not needed here; see formicary --help",
    "quit_spade": "it is from SPADE before 3.2; write a coroutine that awaits start() and stop() of its "
    "agents, and pass it to spade.run(), which stops all of them at the end",
    "web": "agents have no web pages here; remove the import (agent.web exists and does nothing)",
    "xmpp_client": "there is no XMPP client here; with --spade, containers carry the messages",
}

_BY_THE_WAY: Final = {
    "agent": "asyncio logging asyncio.Task hashlib.md5 typing.Any typing.Coroutine typing.List "
    "typing.Optional typing.Type typing.TypeVar formicary.spade.behaviour.BehaviourType "
    "formicary.spade.behaviour.CyclicBehaviour formicary.spade.behaviour.FSMBehaviour "
    "formicary.spade.presence.PresenceManager formicary.spade.template.Template",
    "behaviour": "asyncio collections logging os time traceback abc.ABCMeta abc.abstractmethod "
    "asyncio.CancelledError datetime.datetime datetime.timedelta pathlib.Path threading.Event typing.Any "
    "typing.Dict typing.IO typing.Optional typing.TypeVar typing.Union urllib.parse.urlparse "
    "formicary.spade.message.Message formicary.spade.template.Template",
    "container": "asyncio logging sys formicary.spade.message.Message",
    "message": "logging typing.Dict typing.Optional typing.Type typing.Union",
    "template": "logging formicary.spade.message.Message",
}
"""Names that SPADE's modules import, and that programs import from them."""


def why_left_out(part: str) -> str | None:
    """Return why a part of SPADE is not available, as a sentence; None for any other name."""
    return f"spade.{part} is not available: {_LEFT_OUT[part]}" if part in _LEFT_OUT else None


class _LeftOutFinder:
    """Explains why an omitted part cannot be imported; for `sys.meta_path`."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Find nothing.

        Raises:
            ImportError: it is an omitted part of SPADE.
        """
        del path, target
        package, _, part = name.rpartition(".")
        if package in {"spade", _PACKAGE} and (why := why_left_out(part)) is not None:
            raise ImportError(why, name=name)


_STAND_IN: Final = str(Path(__file__).with_name("stand_in"))
"""A folder with a package `spade` that calls `install`."""


def install() -> None:
    """Make `import spade` return this package, even if SPADE is installed.

    This holds for this process, and those that it starts from now on.
    """
    if _STAND_IN not in sys.path:
        sys.path.insert(0, _STAND_IN)  # multiprocessing passes it on
        paths = _STAND_IN, os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    sys.modules["spade"] = import_module(_PACKAGE)
    for name in _MODULES:
        module = sys.modules[f"spade.{name}"] = import_module(f"{_PACKAGE}.{name}")
        vars(module).pop("__all__", None)  # so that `import *` gets the same names as in SPADE
        for each in _BY_THE_WAY.get(name, "").split():
            vars(module).setdefault(each.rpartition(".")[2], resolve_name(each))
    if _LeftOutFinder not in sys.meta_path:
        sys.meta_path.insert(0, _LeftOutFinder)
