"""The platform's list of containers as a state machine: events in, instructions out; no I/O, no clock.

The platform's container, the first one, keeps the list (`leader`); the others have copies of it, and tell
it what they know when it was restarted (`follower`). `docs/replication.md` is the specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.core.names import is_container_of
from formicary.core.quoting import shorten
from formicary.fipa.control_codec import Send, encode
from formicary.management.membership.exchange import NONE, Joined, Lost, decode, domains_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.management.membership.exchange import Instruction, News, Version

BEAT: Final = 5.0
"""Seconds between two signs of life."""

SILENCE: Final = 30.0
"""Seconds without a sign of life after which a container counts as dead."""

MOST: Final = 1 << 14
"""Members of a platform: more than a container can have links."""

_STANDSTILL: Final = 5.0  # s between two ticks: more, and this process stood still


class Membership:
    """What one container knows of the platform's list, as leader or as follower.

    After each call, do what `instructions` says, in that order, and clear it. `now` is a time in seconds of a
    clock that does not jump. Call `tick` every second.

    Args:
        domain: the container's full domain.
        incarnation: higher than that of any earlier container of this domain: the time of its start in
            microseconds, say.
        now: the time.
    """

    def __init__(self, domain: str, incarnation: int, now: float) -> None:
        self.instructions: list[Instruction] = []
        self.version: Version = NONE
        """Of the list. The same version is the same list everywhere, and later versions are higher."""
        self._domain = domain
        self._platform = domain.partition(".")[2]
        self._incarnation = incarnation
        self._listed = {domain: incarnation}
        self._announced: dict[str, int] = {}  # the others that are members, as was last said
        self._last_seen: dict[str, float] = {}  # when a sign of life last came, by domain
        self._beat_at = now  # when the next beat is due
        self._ticked_at = now

    @property
    def members(self) -> Mapping[str, int]:
        """The incarnations of the platform's containers by their domains, this one included."""
        return {self._domain: self._incarnation, **self._announced}

    @property
    def has_list(self) -> bool:
        """Whether the platform's container is there, and its list known."""
        return True

    def is_member(self, domain: str) -> bool:
        """Return whether a container is among the `members`, which are not put together for it."""
        return domain in self._announced or domain == self._domain

    def tick(self, now: float) -> None:
        """Handle the passing of time."""
        late = now - self._ticked_at
        self._ticked_at = now
        if late > _STANDSTILL:  # what came meanwhile has not been read
            self._last_seen = {domain: min(now, heard + late) for domain, heard in self._last_seen.items()}
        for domain in [it for it, heard in self._last_seen.items() if now - heard > SILENCE]:
            self.link_lost(domain, now)
        if now >= self._beat_at:
            self._beat_at = now + BEAT
            self._beat()

    def link_opened(self, domain: str, now: float) -> None:
        """Called when the link to another container has a new session."""
        raise NotImplementedError

    def link_lost(self, domain: str, now: float) -> None:
        """Called when the link to another container has ended: it is dead, as far as is known here."""
        raise NotImplementedError

    def receive(self, sender: str, payload: bytes | memoryview, now: float) -> None:
        """Handle a payload of another container, whose domain is authenticated.

        Raises:
            ValueError: it is no news of members; nothing has changed.
        """
        news = decode(payload)
        domains = domains_of(news)
        if len(domains) > MOST:
            raise ValueError(f"news of {len(domains)} members, where there can be {MOST}")
        for domain in domains:
            if not is_container_of(domain, self._platform):
                raise ValueError(f"{shorten(domain)} is not a container of the platform {self._platform}")
        self._take(sender, news, now)

    def leave(self) -> None:
        """Tell others that this container stops; call nothing afterwards."""
        raise NotImplementedError

    def _take(self, sender: str, news: News, now: float) -> None:
        raise NotImplementedError

    def _beat(self) -> None:
        raise NotImplementedError

    def _announce(self, members: Mapping[str, int]) -> None:
        """Make instructions of how the members differ from those that were announced last."""
        others = {domain: it for domain, it in sorted(members.items()) if domain != self._domain}
        for domain, incarnation in self._announced.items():
            if others.get(domain) != incarnation:
                self.instructions.append(Lost(domain, incarnation))
        for domain, incarnation in others.items():
            if self._announced.get(domain) != incarnation:
                self.instructions.append(Joined(domain, incarnation))
        self._announced = others

    def _send(self, domain: str, news: News) -> None:
        self.instructions.append(Send(domain, encode(news)))
