"""A container that has joined the platform's, as a state machine: it has a copy of the list of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.management.membership.exchange import (
    Beat,
    Change,
    Known,
    Leave,
    List,
    Superseded,
    Tell,
    successor,
)
from formicary.management.membership.machine import Membership

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.management.membership.exchange import News, Version


class MembershipFollower(Membership):
    """The list of containers in a container that has joined the platform's; see `Membership`.

    Args:
        domain: the container's full domain.
        incarnation: as for all.
        leader: the domain of the platform's container.
        now: the time.
    """

    def __init__(self, domain: str, incarnation: int, leader: str, now: float) -> None:
        super().__init__(domain, incarnation, now)
        self._leader = leader
        self._has_asked = False  # whether the leader has been told that something is missing
        self._superseded_by = 0

    @property
    def has_list(self) -> bool:
        """Whether the platform's container is there, and its list known."""
        return self._leader in self._last_seen

    def link_opened(self, domain: str, now: float) -> None:  # noqa: ARG002 -- the leader's need it
        """Called when the link to another container has a new session: what was sent may be lost."""
        if domain == self._leader:
            self._beat()

    def link_lost(self, domain: str, now: float) -> None:  # noqa: ARG002 -- as above
        """Called when the link to another container has ended: if it is the platform's, that is away."""
        if domain == self._leader:
            self._last_seen.pop(domain, None)
            self._announce_listed()

    def leave(self) -> None:
        """Tell the platform's container that this one stops."""
        self._send(self._leader, Leave(self._incarnation))

    def _beat(self) -> None:
        self._has_asked = False
        self._send(self._leader, Beat(self._incarnation, self.version))

    def _ask(self) -> None:
        if not self._has_asked:
            self._beat()
            self._has_asked = True

    def _tell(self) -> None:
        self._send(self._leader, Known(self._incarnation, self.version, self._listed))

    def _take(self, sender: str, news: News, now: float) -> None:
        if sender != self._leader:
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
        if news.incarnation == self._listed.get(sender):
            self._last_seen[sender] = now
            if isinstance(news, Leave):
                del self._last_seen[sender]
        self._announce_listed()

    def _take_list(self, news: List) -> None:
        is_of_same = news.version[1] == self.version[1]
        if news.version > self.version and (is_of_same or news.basis >= self.version):
            self._accept(news.version, news.members)
        elif not is_of_same:  # the leader was restarted, and does not know all that it should
            self._tell()

    def _take_change(self, news: Change) -> None:
        if news.version == successor(self.version):
            members = dict(self._listed)
            members.pop(news.domain, None)
            if news.member is not None:
                members[news.domain] = news.member
            self._accept(news.version, members)
        elif news.version[1] != self.version[1] or news.version > self.version:
            self._ask()

    def _accept(self, version: Version, members: Mapping[str, int]) -> None:
        self.version = version
        self._has_asked = False
        self._listed = dict(members)
        own = members.get(self._domain, 0)
        if own > self._incarnation:
            if own != self._superseded_by:
                self._superseded_by = own
                self.instructions.append(Superseded(own))
        elif own != self._incarnation:
            self._ask()

    def _announce_listed(self) -> None:
        """Announce the list, without the platform's container where that is away."""
        away = () if self._leader in self._last_seen else (self._leader,)
        self._announce({domain: it for domain, it in self._listed.items() if domain not in away})
