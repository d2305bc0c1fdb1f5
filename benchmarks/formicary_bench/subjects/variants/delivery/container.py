"""A container whose agents get their messages by a design that is not the platform's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from formicary import Container
from formicary.container.dispatcher import Dispatcher
from formicary_bench.subjects.variants.delivery.path import DeliveryPaths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary import Message
    from formicary.core.mailbox import MessageSink
    from formicary_bench.subjects.variants.delivery.design import Design


class DesignedDispatcher(Dispatcher):
    """Has a design deliver what is sent to the container's agents, by its own ones and by others.

    All that a sender's message touches first is where it is in any container: the look-up of the receiver
    among its routes. So what is measured beyond that is the design.
    """

    design: Design

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.paths = DeliveryPaths(self)
        self.routes = self.paths

    def deliver(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Deliver a message that has come the long way by the design; as of `Dispatcher.deliver`."""
        if receiver in self.routes:
            return super().deliver(message, receiver)
        return self.paths.to(receiver).accept(message)

    def hand_over(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Hand a message over where the design has brought it; arguments and results as of `deliver`."""
        return super().deliver(message, receiver)

    def add_dead_letter(
        self, message: Message, reason: str, receiver: str | None = None, *, tell_sender: bool = True
    ) -> None:
        """Add a message that the design could not deliver to the dead letters; as of `Dispatcher`."""
        message, receiver = self.design.unpacked(message, receiver)
        super().add_dead_letter(message, reason, receiver, tell_sender=tell_sender)


class DesignedContainer(Container):
    """A container with a design.

    Args:
        name: as of `Container`.
        design: how messages are delivered; one that no other container has.
        about: further arguments of `Container`.
    """

    dispatcher_type = DesignedDispatcher

    def __init__(self, name: str, design: Design, **about: Any) -> None:
        super().__init__(name, **about)
        assert isinstance(self.dispatcher, DesignedDispatcher)
        self.dispatcher.design = design
        self.paths = self.dispatcher.paths
        self.design = design
        design.container = self

    async def open(self) -> Self:
        """Open it, and its design."""
        await super().open()
        await self.design.open()
        return self

    async def close(self) -> None:
        """Close it, and its design."""
        try:
            await super().close()
        finally:
            await self.design.close()
