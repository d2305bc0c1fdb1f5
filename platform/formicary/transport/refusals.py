"""Failures for senders in other containers, which go back over the link that the message came by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.transport.link.link import Link
    from formicary.transport.router import Router

_LIMIT = 65_536  # agents of other containers whose last container is remembered


class ReturnPaths:
    """The containers that agents sent from last, by full names, if these are not their homes."""

    def __init__(self) -> None:
        self._domains: dict[str, str] = {}

    def domain_of(self, sender: str) -> str | None:
        """Return the container that an agent sent from last; None if that was its home, or is unknown."""
        return self._domains.get(sender)

    def heard(self, sender: str, domain: str) -> str | None:
        """Record the container that an agent sends from; return the one before, None if it is the same."""
        home = sender.partition("@")[2]
        before = self._domains.get(sender, home)
        if domain == before:
            return None
        if domain == home:
            del self._domains[sender]
            return before
        if len(self._domains) >= _LIMIT:
            self._domains.clear()
        self._domains[sender] = domain
        return before

    def forget(self, sender: str) -> None:
        """Assume that an agent sends from its home."""
        self._domains.pop(sender, None)

    def lose(self, domain: str) -> None:
        """Forget a container that is gone."""
        if self._domains:
            self._domains = {sender: by for sender, by in self._domains.items() if by != domain}


class Refusals:
    """Tells senders in other containers that their messages have failed."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self.return_paths = ReturnPaths()

    def tell(self, message: Message, receiver: str, failure: Message) -> bool:
        """Tell the sender of `message` that it has failed; return False if it is outside the platform."""
        router, sender = self._router, message.sender
        assert sender is not None
        # Back over the link that it came by, if known: the other end must learn of the failure before the
        # receipt tells it that the message is taken.
        domain = self.return_paths.domain_of(sender)
        home = router.links.get(sender.partition("@")[2])
        if domain is None and (home is None or not home.senders.has_heard(sender)):
            domain = router.container.dispatcher.domain_of(sender)
        link, places = router.links.get(domain or ""), router.container.dispatcher.locations
        if link is None and sender.endswith(f"@{router.container.domain}"):
            if places is not None:
                places.put_off_failure(failure, sender, "")  # unless it has ended here
            return True
        link = link or router.link_for(sender)
        if link is None:
            return False
        if places is not None and places.hold_failure(message, receiver, str(failure.body), link.domain):
            return True
        if not link.outbox.keep(failure, sender):
            reason = "too many messages are waiting for the sender"
            router.container.dispatcher.add_dead_letter(failure, reason, sender)
        return True

    def tell_by_another_way(self, domain: str, failure: Message, receiver: str) -> bool:
        """Send `receiver` a failure that the link to `domain` could not deliver; return whether it can go."""
        router, home = self._router, receiver.partition("@")[2]
        if router.is_closed:
            return False
        self.return_paths.forget(receiver)
        places = router.container.dispatcher.locations
        link: Link | None
        if home != router.container.domain:
            link = router.link_for(receiver)
        elif places is None or places.tell_at_home(failure, receiver, router.link_to(domain)):
            return places is not None
        else:
            link = router.link_to(router.container.dispatcher.domain_of(receiver) or domain)
        if link is not None and link.domain == domain:  # which may be back
            return places is not None and places.put_off_failure(failure, receiver, domain)
        if link is None or not link.outbox.keep(failure, receiver):
            return False
        if places is not None:
            places.failure_sent_again(receiver, domain, link.domain)
        return True

    def heard(self, domain: str, sender: str) -> None:
        """Record that another container has sent for an agent, for the first time in a session."""
        before = self.return_paths.heard(sender, domain)
        if before is not None and (link := self._router.links.get(before)) is not None:
            link.senders.forget(sender)  # to be told when it comes that way again
