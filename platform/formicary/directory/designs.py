"""The designs of a directory, of which all containers of a platform must use the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.core.logs import get_logger
from formicary.delivery.control_outbox import ControlOutbox

if TYPE_CHECKING:
    from formicary.delivery.protocols import Transport
    from formicary.directory.interface import Backend

REPLICA = "replica"
"""The design in which each container has all entries."""

DIRECTORIES = {REPLICA: "", "central": "formicary.directory.central.client:CentralDirectory"}
"""All designs, with the clients of those in which an agent has the entries. Others may be added."""
logger = get_logger("formicary.directory")

CHANNEL: Final = "design"
"""The channel of control messages about the directory's design."""


class Agreement:
    """Exchanges the directory's design with all other members.

    The design is sent again with each new link, and when a container rejoins. So a message from the
    platform's container also means that this one is on its list, and may have been off it.
    """

    channel = CHANNEL

    def __init__(self, name: str, main: str, directory: str, backend: Backend, transport: Transport) -> None:
        self._name = name
        self._main = main
        self._directory = directory
        self._backend = backend
        self._outbox = ControlOutbox(transport, CHANNEL, lambda _: [directory.encode()])
        self._others: dict[str, str] = {}  # designs that differ from this one
        self._heard: set[str] = set()

    def joined(self, domain: str, incarnation: int) -> None:  # noqa: ARG002 -- as of other listeners
        """Send the design to another container as soon as possible."""
        self._outbox.send(domain)

    def has_told(self, domain: str) -> bool:
        """Return whether a container has sent its design and, if the design is the same, all its entries.

        It reports agents that have moved before that.
        """
        return domain in self._heard and (domain in self._others or self._backend.has_told(domain))

    def lost(self, domain: str) -> None:
        """Forget a container."""
        self._outbox.forget(domain)
        self._others.pop(domain, None)
        self._heard.discard(domain)

    def on_control(self, domain: str, payload: bytes) -> None:
        """Called with another container's design; ValueError if it is unknown."""
        design = payload.decode("ascii", "replace")
        if design not in DIRECTORIES:
            raise ValueError(f"{domain} uses an unknown directory design: {payload[:40]!r}")
        self._heard.add(domain)
        is_main = domain == self._main
        if design == self._directory:
            self._others.pop(domain, None)
            if is_main:
                self._backend.refusal = None
                self._backend.on_listed()
            return
        sentence = self._sentence(domain.partition(".")[0], design, is_main=is_main)
        if is_main:
            self._backend.refusal = sentence
        if self._others.get(domain) != design:
            self._others[domain] = design
            logger.error("%s", sentence)

    def _sentence(self, other: str, design: str, *, is_main: bool) -> str:
        own = self._directory
        if is_main:
            return (
                f"the platform's container {other} has directory={design!r} and container {self._name} has "
                f"directory={own!r}, so they share no directory; open {self._name} with directory={design!r}"
            )
        return (
            f"container {other} has directory={design!r} and container {self._name} has directory={own!r}, "
            f"so they share no directory; open all with that of the platform's container "
            f"{self._main.partition('.')[0]}"
        )

    def close(self) -> None:
        """Stop sending."""
        self._outbox.close()
