"""How senders in other containers are told that their messages have failed: back by the way these came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.transport.return_paths import ReturnPaths

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.transport.link.link import Link
    from formicary.transport.router import Router


class Refusals:
    """What a container tells senders elsewhere.

    Args:
        router: the container's transport.
    """

    def __init__(self, router: Router) -> None:
        self._router = router
        self.return_paths = ReturnPaths()
        """By which containers agents have sent last."""

    def tell(self, message: Message, receiver: str, failure: Message) -> bool:
        """Tell a sender that its message was not delivered; return False if it is outside the platform.

        Args:
            message: what has failed.
            receiver: the full name of who should have got it.
            failure: what the sender is told.
        """
        router, sender = self._router, message.sender
        assert sender is not None
        # Back over the link that it has come by, where that is known: its other end shall hear of it before
        # it hears that this container has done with the message.
        domain = self.return_paths.domain_of(sender)
        home = router.links.get(sender.partition("@")[2])
        if domain is None and (home is None or not home.has_heard(sender)):
            domain = router.container.dispatcher.domain_of(sender)
        link, places = router.links.get(domain or ""), router.container.dispatcher.places
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
        """Tell a sender of a failure that a link could not bring; return whether it is told, or will be.

        Args:
            domain: the link's.
            failure: what the sender is told.
            receiver: the sender's full name.
        """
        router, home = self._router, receiver.partition("@")[2]
        self.return_paths.forget(receiver)
        places = router.container.dispatcher.places
        link: Link | None
        if home != router.container.domain:
            link = router.link_for(receiver)
        elif places is None or places.tell_at_home(failure, receiver, router.link_to(domain)):
            return places is not None
        else:
            link = router.link_to(router.container.dispatcher.domain_of(receiver) or domain)
        if link is not None and link.domain == domain:  # which may be there again
            return places is not None and places.put_off_failure(failure, receiver, domain)
        if link is None or not link.outbox.keep(failure, receiver):
            return False
        if places is not None:
            places.failure_sent_again(receiver, domain, link.domain)
        return True

    def heard(self, domain: str, sender: str) -> None:
        """Called when another container has sent something for an agent, that others have sent for before."""
        before = self.return_paths.heard(sender, domain)
        if before is not None and (link := self._router.links.get(before)) is not None:
            link.forget_sender(sender)  # when it comes that way again, that is to be known
