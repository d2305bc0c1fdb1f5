"""SPADE's state machines."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from formicary.errors import AgentStateError
from formicary.extending import get_logger
from formicary.spade.cyclic import CyclicBehaviour
from formicary.spade.kinds import OneShotBehaviour

if TYPE_CHECKING:
    from formicary.spade.agent import Agent
    from formicary.spade.message import Message

logger = get_logger("formicary.spade")


class NotValidState(Exception):  # noqa: N818 -- SPADE's name
    """The machine has no such state."""


class NotValidTransition(Exception):  # noqa: N818 -- SPADE's name
    """The machine may not go from one state to another."""


class State(OneShotBehaviour):
    """A state of a machine, which calls `run` each time it enters the state.

    Without `set_next_state` the machine ends there. `kill` ends the state, not the machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self.next_state: str | None = None
        self._our_machine: FSMBehaviour | None = None

    def set_next_state(self, state_name: str) -> None:
        """Set the next state."""
        self.next_state = state_name

    async def receive(self, timeout: float | None = None) -> Message | None:
        """Return the machine's next message; arguments and errors as of `CyclicBehaviour.receive`."""
        if self._our_machine is None:
            raise AgentStateError(f"{self} can only receive while its machine is in this state")
        return await self._our_machine.receive(timeout)

    def our_enter(self, machine: FSMBehaviour, agent: Agent) -> None:
        """Become the machine's current state; called by the machine."""
        self.agent = agent
        self._our_machine = machine
        self._our_runner = machine.our_runner()
        self._our_finished = False


class FSMBehaviour(CyclicBehaviour):
    """A state machine with states and transitions.

    Fill it before its agent starts; a subclass can do so in `setup`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._states: dict[str, State] = {}
        self._transitions: defaultdict[str, list[str]] = defaultdict(list)
        self.current_state: str | None = None
        self.setup()

    def setup(self) -> None:
        """Add the states and transitions; for subclasses."""

    def add_state(self, name: str, state: State, initial: bool = False) -> None:  # noqa: FBT001, FBT002 -- SPADE's
        """Add a state.

        Args:
            name: its name in transitions.
            state: the state.
            initial: whether the machine starts there; the last such state wins.

        Raises:
            AttributeError: `state` is not a State.
        """
        if not isinstance(state, State):
            raise AttributeError(  # noqa: TRY004 -- SPADE's
                f"a machine's state must be a State, not {type(state).__name__}"
            )
        self._states[name] = state
        if initial:
            self.current_state = name

    def add_transition(self, source: str, dest: str) -> None:
        """Allow the machine to go from one state to another."""
        self._transitions[source].append(dest)

    def get_state(self, name: str) -> State:
        """Return the state of a name; KeyError if there is none."""
        return self._states[name]

    def get_states(self) -> dict[str, State]:
        """Return all states by name."""
        return self._states

    def is_valid_transition(self, source: str, dest: str) -> bool:
        """Return True if the machine has a transition between two states.

        Raises:
            NotValidState: one of them is unknown.
            NotValidTransition: there is none.
        """
        for name in source, dest:
            if name not in self._states:
                raise NotValidState(f"the machine has no state {name!r}; add it with add_state()")
        if dest not in self._transitions[source]:
            raise NotValidTransition(
                f"the machine cannot go from {source!r} to {dest!r}; add it with add_transition()"
            )
        return True

    def set_agent(self, agent: Agent) -> None:
        """Attach the machine and its states to an agent; called by the agent."""
        super().set_agent(agent)
        for state in self._states.values():
            state.our_enter(self, agent)

    async def run(self) -> None:
        """Do nothing: the states do the work."""

    async def _run(self) -> None:
        if self.current_state is None:
            raise AgentStateError(
                "the machine has no initial state; add one with add_state(..., initial=True)"
            )
        state = self._states[self.current_state]
        state.our_enter(self, self._our_own_agent())
        for where, part in ("on_start", state.on_start), ("run", state.run), ("on_end", state.on_end):
            try:
                await part()
            except Exception as error:  # noqa: BLE001 -- whatever a program raises ends its machine
                self._our_failed(f"{where}() of state {self.current_state!r}", error)
        following = state.next_state
        if following is None:
            self.kill()
        else:
            self._our_go_to(following)
        state.our_finish()

    def _our_go_to(self, name: str) -> None:
        try:
            self.is_valid_transition(str(self.current_state), name)
        except (NotValidState, NotValidTransition) as error:
            logger.error("%s of agent %s ends: %s", self, self._our_own_agent().jid, error)  # noqa: TRY400
            self.kill(exit_code=error)
        else:
            self.current_state = name

    def to_graphviz(self) -> str:
        """Return the machine as a Graphviz graph."""
        arrows = "".join(
            f"{_word(source)} -> {_word(dest)};"
            for source, ends in self._transitions.items()
            for dest in ends
        )
        return "digraph finite_state_machine { rankdir=LR; node [fixedsize=true];" + arrows + "}"


def _word(name: Any) -> str:
    return str(name).replace(" ", "_")
