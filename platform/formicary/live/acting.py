"""Actions of a view on a platform: those of the commands of the same names, by its management."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary.core.errors import FormicaryError, UsageError
from formicary.core.message import Message
from formicary.core.micro import MicroAgent
from formicary.live.feed import OF_AGENTS

if TYPE_CHECKING:
    from formicary.container.container import Container

_SENDER = "viewer"


class _Viewer(MicroAgent):
    """Sends messages written in a view, and drops answers."""

    def handle(self, message: Message) -> None:
        """Ignore answers."""


class Actor:
    """Carries out actions requested in a view."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._viewer: _Viewer | None = None

    async def act(self, act: str, arguments: dict[str, Any]) -> str | None:
        """Carry out an action; arguments, result and errors as of `Feed.act`."""
        management = self._container.management
        try:
            match act:
                case _ if act in OF_AGENTS:
                    await getattr(management, act)(arguments["agent"])
                case "move":
                    await management.move(arguments["agent"], arguments["container"])
                case "create":
                    return await management.create(
                        arguments["class_name"],
                        arguments["name"],
                        container=arguments.get("container") or None,
                        arguments=arguments.get("arguments") or None,
                    )
                case "send":
                    await self._send(arguments)
                case _:
                    raise UsageError(f"there is no action {act!r}")
        except KeyError as error:
            raise UsageError(f"{act} requires {error.args[0]}") from error
        except TypeError as error:
            raise UsageError(f"{act} failed with these arguments: {error}") from error
        return None

    async def _send(self, arguments: dict[str, Any]) -> None:
        message = Message(**arguments)
        if not message.receivers:
            raise UsageError("a message needs a receiver: specify one")
        if self._viewer is None:
            viewer = _Viewer(_SENDER)
            await self._container.start(viewer)
            self._viewer = viewer
        await self._viewer.send(message)

    async def close(self) -> None:
        """Stop the agent that sends messages, if there is one."""
        if self._viewer is not None:
            viewer, self._viewer = self._viewer, None
            await viewer.stop()


def refuse(act: str) -> FormicaryError:
    """Return the error for an action that is not allowed."""
    return UsageError(f"this view is read-only: start it with --allow act to {act} from here")
