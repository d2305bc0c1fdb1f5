"""Carries out the program's orders in a container in its own process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.children.locating import import_file
from formicary.children.orders import Allow, Ended, Gone, Join, LoadScript, Meet, StartLoaded
from formicary.children.script import load_agents
from formicary.core.errors import FormicaryError, UsageError
from formicary.core.importing import describe_error, is_allowed
from formicary.local.cycles import LocalCycles
from formicary.local.names import LocalNames

if TYPE_CHECKING:
    from formicary.children.orders import Order
    from formicary.children.script import Script
    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.processes.lines import Line
    from formicary.processes.requests import Request

_SHOWN = 3  # reasons for dead letters


class Performing:
    """Carries out orders in an open container.

    Args:
        container: the container.
        line: where it reports which agents have ended.
    """

    def __init__(self, container: Container, line: Line[Request[Order]]) -> None:
        self._container = container
        self.names = LocalNames(container, lambda names: line.send(Gone(names)))
        self._cycles = LocalCycles(container) if container.mode == "synchronous" else None
        self._loaded: dict[str, Agent | MicroAgent] = {}

    async def perform(self, order: Order) -> list[str]:
        """Carry out an order; return the names for the answer.

        Raises:
            FormicaryError: the order failed.
        """
        match order:
            case Meet(domains):
                await self.names.meet(domains)
                if self._cycles is not None:
                    self._cycles.meet(domains)
            case Allow(module, file):
                self._allow(module, file)
            case LoadScript(script, needs_some):
                return self._load(script, needs_some=needs_some)
            case StartLoaded(name):
                await self._start_loaded(name)
            case Join():
                return await self._join()
            case _:
                raise UsageError(f"a container that is open cannot do this: {order}")
        return []

    def _allow(self, module: str, file: str | None) -> None:
        if file is not None:
            import_file(module, file)
        if not is_allowed(module, self._container.creatable):
            self._container.creatable += (module,)

    def _load(self, script: Script, *, needs_some: bool) -> list[str]:
        self._loaded = {agent.name: agent for agent in load_agents(script, needs_some=needs_some)}
        return list(self._loaded)

    async def _start_loaded(self, name: str) -> None:
        agent = self._loaded.pop(name, None)
        if agent is None:
            raise UsageError(f"the script has no agent {name!r} in container {self._container.name}")
        try:
            await self._container.start(agent)
        except FormicaryError:
            raise
        except Exception:  # noqa: BLE001 -- its setup failed: the container has logged it; others continue
            return

    async def _join(self) -> list[str]:
        container = self._container
        found = [] if container.lifecycle.is_over() else [container.name]
        try:
            await container.wait_until_finished()
        except Exception as error:
            notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ())[-1:])
            raise FormicaryError(f"an agent failed: {describe_error(error)}{notes}") from error
        return found


def describe_end(container: Container, errors: int, exits: SystemExit | None) -> Ended:
    """Return the last report of a closed container."""
    letters = container.dead_letters
    code = None if exits is None else exits.code
    return Ended(
        errors,
        letters.total,
        letters.reasons.most_common(_SHOWN),
        code if code is None or isinstance(code, int) else str(code),
        has_exited=exits is not None,
    )
