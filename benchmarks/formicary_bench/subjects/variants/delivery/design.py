"""The base class of designs of delivery, and a container that delivers by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from formicary import Container
from formicary.core.logs import get_logger
from formicary.delivery.dispatcher import Dispatcher
from formicary_bench.subjects.variants.delivery.path import DeliveryPaths, QueuedDelivery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary import Message
    from formicary.core.mailbox import MessageSink
    from formicary.delivery.overflow import Origin
    from formicary_bench.subjects.variants.delivery.path import DeliveryPath


logger = get_logger("formicary")

_AT_ONCE = 1  # messages that wait for a receiver's full mailbox when its path is closed


class Design:
    """A design of delivery; subclasses implement `take`.

    A design keeps the order of the messages of each pair of agents, and loses none: it passes each message to
    `arrive`, or makes it a dead letter.
    """

    container: DesignedContainer

    async def open(self) -> None:
        """Begin after the container has been opened; for subclasses."""

    async def close(self) -> None:
        """End after all agents; messages in transit become dead letters. For subclasses."""

    def take(self, message: Message, path: DeliveryPath) -> None:
        """Deliver a message to the receiver of `path`; for subclasses.

        Args:
            message: the message.
            path: the path to pass to `arrive` in the end.
        """
        raise NotImplementedError

    def unpacked(self, message: Message, receiver: str | None) -> tuple[Message, str | None]:
        """Return the original message and receiver of a dead letter; for subclasses that pack messages.

        Args:
            message: the undelivered message.
            receiver: its receiver; None for all.
        """
        return message, receiver

    def arrive(self, message: Message, path: DeliveryPath) -> None:
        """Hand a message over to its receiver; without room there, it waits in order."""
        path.on_arrival()
        self.hand_over(message, path, path)
        if path.entrance is None:
            self.container.paths.forget(path)

    def hand_over(self, message: Message, path: DeliveryPath, origin: Origin | None = None) -> None:
        """Hand a message over to the agent of `path`, the receiver or one in between.

        Args:
            message: the message.
            path: the path.
            origin: the sink to pause while messages wait for that agent.
        """
        overflow, receiver = self.container.dispatcher.overflow, path.receiver
        try:
            if receiver in overflow.lines:
                overflow.add(message, receiver, origin, [QueuedDelivery(path)], _AT_ONCE)
            elif full := path.deliver(message):
                overflow.add(message, receiver, origin, full, _AT_ONCE)
        except Exception as error:  # the sender is not there any more to get it
            logger.exception("a message for %s could not be handed over", receiver)
            self.container.dispatcher.add_dead_letter(
                message, f"it could not be handed over: {error!r:.200}", receiver
            )


class DesignedDispatcher(Dispatcher):
    """Delivers all messages to the container's agents, from its own and other agents, by a design.

    A message first takes the same step as in any container, the look-up of its receiver in the routes. So all
    further cost is that of the design.
    """

    design: Design

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.paths = DeliveryPaths(self)
        self.routes = self.paths

    def deliver(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Deliver a message by the design that did not come by a route; as of `Dispatcher.deliver`."""
        if receiver in self.routes:
            return super().deliver(message, receiver)
        return self.paths.to(receiver).accept(message)

    def hand_over(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Hand a message over at the end of the design; arguments and results as of `deliver`."""
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
        design: the design, not shared with another container.
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
        await super().open()
        await self.design.open()
        return self

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            await self.design.close()
