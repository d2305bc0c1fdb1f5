"""The platform's list of containers as a state machine: events in, instructions out; no I/O, no clock.

The platform's container, which is the first, keeps the list; the others have copies of it, and tell it what
they know when it was restarted. `docs/replication.md` is the specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.management.news import (
    Beat,
    Change,
    Joined,
    Known,
    Leave,
    List,
    Lost,
    Send,
    Superseded,
    Tell,
    decode,
    encode,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.management.news import Instruction, News, Version

BEAT: Final = 5.0
"""Seconds between two signs of life."""

SILENCE: Final = 30.0
"""Seconds without a sign of life after which a container counts as dead."""

_STANDSTILL: Final = (
    5.0  # s between two ticks: more, and this process stood still, and has not read what came
)


class Membership:
    """What one container knows of the platform's list: what both kinds of it have in common.

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
        self.version: Version = (0, 0)
        """Of the list: epoch and number. The same version is the same list everywhere."""
        self._domain = domain
        self._incarnation = incarnation
        self._listed = {domain: incarnation}
        self._shown: dict[str, int] = {}  # the others that are members, as was last said
        self._heard: dict[str, float] = {}  # when a sign of life last came, by domain
        self._beat_at = now  # when the next beat is due
        self._ticked_at = now

    @property
    def members(self) -> Mapping[str, int]:
        """The incarnations of the platform's containers by their domains, this one included."""
        return {self._domain: self._incarnation, **self._shown}

    def tick(self, now: float) -> None:
        """Let time pass."""
        late = now - self._ticked_at
        self._ticked_at = now
        if late > _STANDSTILL:  # nobody else is to blame
            self._heard = {domain: min(now, heard + late) for domain, heard in self._heard.items()}
        for domain in [it for it, heard in self._heard.items() if now - heard > SILENCE]:
            self.link_lost(domain, now)
        if now >= self._beat_at:
            self._beat_at = now + BEAT
            self._beat()

    def link_opened(self, domain: str, now: float) -> None:
        """Learn that there is a new session of the link to another container."""
        raise NotImplementedError

    def link_lost(self, domain: str, now: float) -> None:
        """Learn that the link to another container has ended: it is dead, for all that is known."""
        raise NotImplementedError

    def receive(self, origin: str, payload: bytes | memoryview, now: float) -> None:
        """Take what another container has sent.

        Args:
            origin: the domain of that container, proven.
            payload: what came.
            now: the time.

        Raises:
            ValueError: it is no news of members; nothing has changed.
        """
        self._take(origin, decode(payload), now)

    def leave(self) -> None:
        """Tell others that this container stops. Nothing may be called afterwards."""
        raise NotImplementedError

    def _take(self, origin: str, news: News, now: float) -> None:
        raise NotImplementedError

    def _beat(self) -> None:
        raise NotImplementedError

    def _show(self, members: Mapping[str, int]) -> None:
        """Say what has changed for whoever asks who is there."""
        others = {domain: it for domain, it in sorted(members.items()) if domain != self._domain}
        for domain, incarnation in self._shown.items():
            if others.get(domain) != incarnation:
                self.instructions.append(Lost(domain, incarnation))
        for domain, incarnation in others.items():
            if self._shown.get(domain) != incarnation:
                self.instructions.append(Joined(domain, incarnation))
        self._shown = others

    def _send(self, domain: str, news: News) -> None:
        self.instructions.append(Send(domain, encode(news)))


class Keeper(Membership):
    """The platform's container, which keeps the list."""

    def __init__(self, domain: str, incarnation: int, now: float) -> None:
        super().__init__(domain, incarnation, now)
        self.version = (incarnation, 1)
        self._basis: Version = (0, 0)  # the latest version of earlier epochs that is known

    def link_opened(self, domain: str, now: float) -> None:
        """Learn that there is a new session of the link to another container: what was sent may be lost."""
        if domain in self._heard:
            self._heard[domain] = now
            self._send_list(domain)

    def link_lost(self, domain: str, now: float) -> None:  # noqa: ARG002 -- what its silence shows at a time
        """Learn that the link to another container has ended: it is off the list, until it is heard of."""
        if domain in self._heard:
            del self._heard[domain], self._listed[domain]
            self._publish(domain)

    def leave(self) -> None:
        """Tell the members that this container stops."""
        for domain in self._heard:
            self._send(domain, Leave(self._incarnation))

    def _beat(self) -> None:
        for domain in self._heard:
            self._send(domain, Beat(self._incarnation, self.version))

    def _take(self, origin: str, news: News, now: float) -> None:
        listed = self._listed.get(origin, 0)
        if origin == self._domain or news.incarnation < listed:
            if isinstance(news, Beat) and origin != self._domain:
                self._send_list(origin)  # it should know that there is a later one of its domain
            return
        if news.incarnation == listed:
            self._heard[origin] = now
        match news:
            case Beat(incarnation, version):
                self._take_beat(origin, incarnation, version, now)
            case Known(incarnation, version, members):
                self._take_known(origin, incarnation, version, members, now)
            case Leave(incarnation) if incarnation == listed:
                self.link_lost(origin, now)

    def _is_own(self, version: Version) -> bool:
        """Tell whether a version of the list is of this epoch, or the one before any."""
        return version == (0, 0) or (version[0] == self.version[0] and version <= self.version)

    def _take_beat(self, origin: str, incarnation: int, version: Version, now: float) -> None:
        if not self._is_own(version):
            self._send(origin, Tell(self._incarnation))
        elif self._listed.get(origin) != incarnation:
            self._admit(origin, incarnation, now)
            self._publish(origin)
        elif version < self.version:
            self._send_list(origin)

    def _take_known(
        self, origin: str, incarnation: int, version: Version, members: Mapping[str, int], now: float
    ) -> None:
        """Take over what a member knows of the time before this container was started."""
        if self._is_own(version):
            self._take_beat(origin, incarnation, version, now)
            return
        before = dict(self._listed)
        is_later = version > self._basis
        if version > self.version:
            self.version = (version[0] + 1, 0)
        if is_later:
            self._basis = version
            for domain, member in members.items():
                if domain != self._domain and member > self._listed.get(domain, 0):
                    self._admit(domain, member, now)  # silence will show if it is dead
        if self._listed.get(origin) != incarnation:
            self._admit(origin, incarnation, now)
        if is_later or before != self._listed:
            self._publish()
        else:
            self._send_list(origin)

    def _admit(self, domain: str, incarnation: int, now: float) -> None:
        self._listed[domain] = incarnation
        self._heard[domain] = now

    def _publish(self, changed: str | None = None) -> None:
        """Tell all members of a new version of the list, of which one place has changed, or any number."""
        epoch, number = self.version
        self.version = (epoch, number + 1)
        member = self._listed.get(changed) if changed else None
        for domain in self._heard:
            if changed is None or domain == changed:
                self._send_list(domain)
            else:
                self._send(domain, Change(self._incarnation, self.version, changed, member))
        self._show(self._listed)

    def _send_list(self, domain: str) -> None:
        self._send(domain, List(self._incarnation, self.version, self._basis, self._listed))


class Follower(Membership):
    """A container that has joined the platform's.

    Args:
        domain: the container's full domain.
        incarnation: as for all.
        keeper: the domain of the platform's container.
        now: the time.
    """

    def __init__(self, domain: str, incarnation: int, keeper: str, now: float) -> None:
        super().__init__(domain, incarnation, now)
        self._keeper = keeper
        self._has_asked = False  # whether the keeper was told that something is missing, since the last beat
        self._superseded_by = 0

    def link_opened(self, domain: str, now: float) -> None:  # noqa: ARG002 -- the keeper's need it
        """Learn that there is a new session of the link to another container: what was sent may be lost."""
        if domain == self._keeper:
            self._beat()

    def link_lost(self, domain: str, now: float) -> None:  # noqa: ARG002 -- as above
        """Learn that the link to another container has ended; only the platform's is away then."""
        if domain == self._keeper:
            self._heard.pop(domain, None)
            self._show_listed()

    def leave(self) -> None:
        """Tell the platform's container that this one stops."""
        self._send(self._keeper, Leave(self._incarnation))

    def _beat(self) -> None:
        self._has_asked = False
        self._send(self._keeper, Beat(self._incarnation, self.version))

    def _ask(self) -> None:
        if not self._has_asked:
            self._beat()
            self._has_asked = True

    def _tell(self) -> None:
        self._send(self._keeper, Known(self._incarnation, self.version, self._listed))

    def _take(self, origin: str, news: News, now: float) -> None:
        if origin != self._keeper:
            return
        match news:
            case Tell():
                self._tell()
            case List():
                self._take_list(news)
            case Change():
                self._take_change(news)
            case Beat(_, version) if version != self.version:
                self._ask()
        if news.incarnation == self._listed.get(origin):
            self._heard[origin] = now
            if isinstance(news, Leave):
                del self._heard[origin]
        self._show_listed()

    def _take_list(self, news: List) -> None:
        if news.version[0] == self.version[0]:
            is_next = news.version > self.version
        else:
            is_next = news.version > self.version and news.basis >= self.version
            if not is_next:  # the keeper was restarted, and does not know all that it should
                self._tell()
        if is_next:
            self._accept(news.version, news.members)

    def _take_change(self, news: Change) -> None:
        epoch, number = self.version
        if news.version == (epoch, number + 1):
            members = dict(self._listed)
            members.pop(news.domain, None)
            if news.member is not None:
                members[news.domain] = news.member
            self._accept(news.version, members)
        elif news.version[0] != epoch or news.version > self.version:
            self._ask()

    def _accept(self, version: Version, members: Mapping[str, int]) -> None:
        self.version = version
        self._listed = dict(members)
        own = members.get(self._domain, 0)
        if own > self._incarnation:
            if own != self._superseded_by:
                self._superseded_by = own
                self.instructions.append(Superseded(own))
        elif own != self._incarnation:
            self._ask()

    def _show_listed(self) -> None:
        """Show the list, without the platform's container where that is away."""
        away = () if self._keeper in self._heard else (self._keeper,)
        self._show({domain: it for domain, it in self._listed.items() if domain not in away})
