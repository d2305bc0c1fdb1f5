"""The platform's container, as a state machine: it keeps the list of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.fipa.control_codec import Send, encode
from formicary.management.membership.exchange import NONE, Beat, Change, Known, Leave, List, Tell, successor
from formicary.management.membership.machine import MOST, Membership

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.management.membership.exchange import News, Version


class MembershipLeader(Membership):
    """The list of containers in the platform's container; see `Membership`."""

    def __init__(self, domain: str, incarnation: int, now: float) -> None:
        super().__init__(domain, incarnation, now)
        self.version = (incarnation, incarnation, 1)
        self._basis = NONE  # the latest version of an earlier platform's container that is known

    def link_opened(self, domain: str, now: float) -> None:
        """Called when the link to another container has a new session: what was sent may be lost."""
        if domain in self._last_seen:
            self._last_seen[domain] = now
            self._send_list(domain)

    def link_lost(self, domain: str, now: float) -> None:  # noqa: ARG002 -- what its silence shows at a time
        """Called when the link to another container has ended: it is off the list, until it is heard of."""
        if domain in self._last_seen:
            del self._last_seen[domain], self._listed[domain]
            self._publish(domain)

    def leave(self) -> None:
        """Tell the members that this container stops."""
        for domain in self._last_seen:
            self._send(domain, Leave(self._incarnation))

    def _beat(self) -> None:
        for domain in self._last_seen:
            self._send(domain, Beat(self._incarnation, self.version))

    def _take(self, sender: str, news: News, now: float) -> None:
        listed = self._listed.get(sender, 0)
        if sender == self._domain or news.incarnation < listed:
            if isinstance(news, Beat) and sender != self._domain:
                self._send_list(sender)  # it should know that there is a later one of its domain
            return
        if news.incarnation == listed:
            self._last_seen[sender] = now
        match news:
            case Beat(incarnation, version):
                self._take_beat(sender, incarnation, version, now)
            case Known(incarnation, version, members):
                self._take_known(sender, incarnation, version, members, now)
            case Leave(incarnation) if incarnation == listed:
                self.link_lost(sender, now)

    def _is_own(self, version: Version) -> bool:
        """Return whether a version of the list is one that this container has made, or the one before any."""
        return version == NONE or version[1] == self._incarnation

    def _take_beat(self, sender: str, incarnation: int, version: Version, now: float) -> None:
        if not self._is_own(version):
            self._send(sender, Tell(self._incarnation))
        elif self._listed.get(sender) != incarnation:
            self._admit(sender, incarnation, now)
            self._publish(sender)
        elif version < self.version:
            self._send_list(sender)

    def _take_known(
        self, sender: str, incarnation: int, version: Version, members: Mapping[str, int], now: float
    ) -> None:
        """Adopt what a member knows from before this container started."""
        if self._is_own(version):
            self._take_beat(sender, incarnation, version, now)
            return
        if len({*members, *self._listed}) > MOST:
            raise ValueError(f"news of more members than there can be, {MOST}")
        before = dict(self._listed)
        is_later = version > self._basis
        if version > self.version:
            self.version = (version[0] + 1, self._incarnation, 0)
        if is_later:
            self._basis = version
            for domain, member in members.items():
                if domain != self._domain and member > self._listed.get(domain, 0):
                    self._admit(domain, member, now)  # silence will show if it is dead
        if self._listed.get(sender) != incarnation:
            self._admit(sender, incarnation, now)
        if is_later or before != self._listed:
            self._publish()
        else:
            self._send_list(sender)

    def _admit(self, domain: str, incarnation: int, now: float) -> None:
        self._listed[domain] = incarnation
        self._last_seen[domain] = now

    def _publish(self, changed: str | None = None) -> None:
        """Tell all members of a new version of the list, in which one domain or any number have changed."""
        self.version = successor(self.version)
        whole = encode(self._list())  # once for all
        change = None
        if changed is not None:
            change = encode(Change(self._incarnation, self.version, changed, self._listed.get(changed)))
        for domain in self._last_seen:
            payload = whole if change is None or domain == changed else change
            self.instructions.append(Send(domain, payload))
        self._announce(self._listed)

    def _send_list(self, domain: str) -> None:
        self._send(domain, self._list())

    def _list(self) -> List:
        return List(self._incarnation, self.version, self._basis, self._listed)
