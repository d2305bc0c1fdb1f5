"""A behaviour that is a finite state machine, in SPADE's shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from formicary.core.behaviours import OneShotBehaviour
from formicary.core.coroutines import pause
from formicary.core.definitions import check_behaviour, not_initialised
from formicary.core.errors import AgentStateError
from formicary.core.reserved import reserved


class State(OneShotBehaviour):
    """One state of an `FSMBehaviour`: its `run` is called each time the machine enters it.

    It sends and receives as the machine, and uses the machine's mailbox. `set_next_state` sets the state to
    enter next; without it, the machine ends.
    """

    __slots__ = ("_machine", "_next_state")

    _stands_alone = False

    def __init__(self) -> None:
        super().__init__()
        self._machine: FSMBehaviour | None = None
        self._next_state: str | None = None

    def set_next_state(self, name: str) -> None:
        """Enter the state of this name after this run."""
        self._next_state = name

    @reserved
    def next_state(self) -> str | None:
        """The name passed to `set_next_state` in this run; None if there is none."""
        return self._next_state

    def kill(self, exit_code: Any = None) -> None:
        """End the whole machine, as `Behaviour.kill`."""
        assert self._machine is not None
        self._machine.kill(exit_code)

    async def visit_state(self, machine: FSMBehaviour) -> str | None:
        """Run the state; return the name of the next."""
        self._machine = machine
        self.mailbox = machine.mailbox
        self.agent = machine.agent
        self._next_state = None
        await self.on_start()
        await self.run()
        await self.on_end()
        return self._next_state


class Machine(NamedTuple):
    """A machine's definition: its initial state, current state, states and transitions."""

    first: str | None
    current: str | None
    states: dict[str, State]
    transitions: dict[str, set[str]]


class FSMBehaviour(OneShotBehaviour):
    """A machine of states and the transitions allowed between them. Fill it before its agent starts."""

    __slots__ = ("_current", "_first", "_states", "_transitions")

    def __init__(self) -> None:
        super().__init__()
        self._states: dict[str, State] = {}
        self._transitions: dict[str, set[str]] = {}
        self._first: str | None = None
        self._current: str | None = None

    def add_state(self, name: str, state: State, *, initial: bool = False) -> None:
        """Add a state.

        Args:
            name: its name in transitions.
            state: the state.
            initial: whether the machine starts in it.

        Raises:
            AgentStateError: there is already a state of this name, or an initial one.
            DefinitionError: it is not a state, or its class or the machine's is not valid.
        """
        check_behaviour(state, is_state=True)
        if not hasattr(self, "_states"):
            raise not_initialised(self)
        if name in self._states:
            raise AgentStateError(f"the machine already has a state {name!r}")
        if initial and self._first is not None:
            raise AgentStateError(
                f"the machine already starts at {self._first!r}; only one state can be initial"
            )
        self._states[name] = state
        self._transitions[name] = set()
        if initial:
            self._first = name

    def add_transition(self, source: str, dest: str) -> None:
        """Allow the machine to go from `source` to `dest`.

        Raises:
            AgentStateError: one of them is not a state; add the states first.
        """
        for name in (source, dest):
            if name not in self._states:
                raise AgentStateError(
                    f"the machine has no state {name!r}; add it with add_state() before its transitions"
                )
        self._transitions[source].add(dest)

    def carry_machine(self) -> Machine:
        """Return the machine's states, transitions and current state; for mobility."""
        return Machine(self._first, self._current, self._states, self._transitions)

    def resume_in(self, state: str) -> None:
        """Start in a state other than the first; for mobility."""
        self._current = state

    @reserved
    def current_state(self) -> str | None:
        """The name of the state that the machine is in; None before it starts."""
        return self._current

    async def run(self) -> None:
        """Go through the states."""
        if self._first is None:
            raise AgentStateError(
                "the machine has no initial state; add one with add_state(..., initial=True)"
            )
        if self._current is None:
            self._current = self._first
        while not self._killed:
            following = await self._states[self._current].visit_state(self)
            if following is None:
                break
            self.check_transition(self._current, following)
            self._current = following
            await pause()  # states that never wait must not starve the others

    def check_transition(self, source: str, dest: str) -> None:
        """Check that the machine may go from `source` to `dest`.

        Raises:
            AgentStateError: it may not.
        """
        if dest not in self._transitions[source]:
            raise AgentStateError(
                f"the machine cannot go from {source!r} to {dest!r}; add one with add_transition()"
            )
