"""Stand-ins for omitted parts of SPADE, which do nothing and warn once, or raise an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never, Self

from formicary.errors import UnsupportedError
from formicary.extending import get_logger

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

logger = get_logger("formicary.spade")

_NO_PAGES = "agents have no web pages here (agent.web); use formicary agents and formicary top instead"
_NO_CLIENT = (
    "containers carry the agents' messages, so agents have no XMPP client (agent.client), and extensions of "
    "XMPP cannot be used"
)
_BY_THE_WAY = {
    "add_event_handler",
    "del_event_handler",
    "disconnect",
    "get_roster",
    "register_plugin",
    "send_presence",
}
"""Methods of the client that are not essential to programs."""

_warned: set[str] = set()


def warn_once(sentence: str) -> None:
    """Log a warning once per process."""
    if sentence not in _warned:
        _warned.add(sentence)
        logger.warning("%s", sentence)


class Nothing:
    """A stand-in that is false and empty, like all its attributes and results.

    Args:
        why: the warning logged when it is called.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("_"):
            raise AttributeError(name)
        return Nothing(self._why)

    def __call__(self, *_: object, **__: object) -> Self:
        """Warn once, and return itself."""
        warn_once(self._why)
        return self

    def __await__(self) -> Generator[Any, Any, Self]:
        yield from ()
        return self

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Never]:
        return iter(())

    def __getitem__(self, _: object) -> Self:
        return self

    def __setitem__(self, _: object, __: object) -> None:
        pass


class Pages(Nothing):
    """Stands in for an agent's web pages, and ignores their setup."""

    hostname = port = None

    def __init__(self) -> None:
        super().__init__(_NO_PAGES)
        self.menu_entries: dict[str, tuple[str, str]] = {}

    def is_started(self) -> bool:
        """Return False: there are no pages."""
        return False


class NoClient:
    """Stands in for an agent's XMPP client: false; essential methods raise an error."""

    def __getattr__(self, name: str) -> Nothing:
        if name in _BY_THE_WAY:
            return Nothing(_NO_CLIENT)
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnsupportedError(f"agent.client.{name} is not available: {_NO_CLIENT}")

    def __getitem__(self, name: str) -> Never:
        raise UnsupportedError(f"agent.client[{name!r}] is not available: {_NO_CLIENT}")

    def __bool__(self) -> bool:
        return False
