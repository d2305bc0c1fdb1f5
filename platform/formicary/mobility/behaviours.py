"""Turn behaviours into msgpack and back: class, template, due time, state of a machine, and data."""

from __future__ import annotations

import functools
import operator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.core.behaviour import Behaviour, Phase
from formicary.core.behaviours import PeriodicBehaviour, TimeoutBehaviour
from formicary.core.errors import AgentStateError, FormicaryError, MoveError
from formicary.core.fsm import FSMBehaviour, State
from formicary.core.importing import describe_error
from formicary.core.resting import waits_for_time
from formicary.core.template import Template
from formicary.mobility import kinds, plain_data
from formicary.mobility.declared_data import give_data, take_data

if TYPE_CHECKING:
    from formicary.core.template import Tree

_LONGEST = 1e9  # s: due times are cut to thirty years
_TIMED = (PeriodicBehaviour, TimeoutBehaviour)
_OTHERS = (*_TIMED, FSMBehaviour)  # for which `Behaviour.__init__` is not enough
_REMEMBERED = 1000  # bytes of a template up to which it is compiled once


class StateSnapshot(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A state of a machine.

    Args:
        kind: its class.
        data: its `data`.
        leads_to: the states to which the machine may go from here.
    """

    kind: str
    data: msgspec.Raw
    leads_to: tuple[str, ...] = ()


class MachineSnapshot(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A machine of states.

    Args:
        first: its initial state.
        position: the state in which it continues; None if it has not begun.
        states: all of them, by name.
    """

    first: str | None
    position: str | None
    states: dict[str, StateSnapshot]


class BehaviourSnapshot(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A behaviour.

    Args:
        kind: its class.
        has_begun: whether its `on_start` is over.
        data: its `data`.
        template: which messages it wants, as plain data; None for all.
        period: of a periodic behaviour, in seconds.
        due_in: of a timed behaviour, in seconds from the snapshot.
        machine: of a machine of states.
    """

    kind: str
    has_begun: bool
    data: msgspec.Raw
    template: msgspec.Raw = plain_data.NIL
    period: float | None = None
    due_in: float | None = None
    machine: MachineSnapshot | None = None


def take_behaviour(behaviour: Behaviour, *, is_caller: bool) -> BehaviourSnapshot:
    """Return the snapshot of a behaviour at rest.

    Args:
        behaviour: the behaviour.
        is_caller: whether it asked its agent to move: a machine continues in the state that it has set.

    Raises:
        MoveError: some of it cannot be carried.
    """
    name = f"its behaviour {type(behaviour).__name__}'s"
    due_in = None
    if isinstance(behaviour, _TIMED):
        due_in = behaviour.strand_time_left(is_waiting=waits_for_time(behaviour))
    return BehaviourSnapshot(
        kinds.name_of(type(behaviour)),
        behaviour.strand_phase >= Phase.RUNNING,
        take_data(behaviour, name),
        _take_template(behaviour.template, name),
        behaviour.period if isinstance(behaviour, PeriodicBehaviour) else None,
        None if due_in is None else min(due_in, _LONGEST),
        _take_machine(behaviour, name, is_caller=is_caller) if isinstance(behaviour, FSMBehaviour) else None,
    )


def give_behaviour(snapshot: BehaviourSnapshot, entrance: kinds.Entrance) -> Behaviour:
    """Return the behaviour of a snapshot.

    Raises:
        MoveError: it cannot be created here.
    """
    kind = kinds.find(snapshot.kind, Behaviour, entrance)
    behaviour = object.__new__(kind)
    name = f"its behaviour {kind.__name__}'s"
    try:
        _initialise(behaviour, snapshot)
        behaviour.template = _give_template(bytes(snapshot.template))
        if isinstance(behaviour, FSMBehaviour) and snapshot.machine is not None:
            _give_machine(behaviour, snapshot.machine, entrance, name)
    except MoveError:
        raise
    except (FormicaryError, ValueError, TypeError, OverflowError) as error:  # a time too long for timedelta
        raise MoveError(f"{name} snapshot cannot be used here: {describe_error(error)}") from error
    give_data(behaviour, snapshot.data, name)
    if snapshot.has_begun:
        behaviour.strand_phase = Phase.RUNNING
    return behaviour


def _initialise(behaviour: Behaviour, snapshot: BehaviourSnapshot) -> None:
    """Run the platform's own part of `__init__`; a user's is not run."""
    if not isinstance(behaviour, _OTHERS):
        Behaviour.__init__(behaviour)
        return
    due_in = timedelta(seconds=snapshot.due_in or 0.0)
    if isinstance(behaviour, PeriodicBehaviour) and snapshot.period is not None:
        PeriodicBehaviour.__init__(behaviour, snapshot.period, due_in)
    elif isinstance(behaviour, TimeoutBehaviour) and snapshot.due_in is not None:
        TimeoutBehaviour.__init__(behaviour, due_in)
    elif isinstance(behaviour, FSMBehaviour) and snapshot.machine is not None:
        FSMBehaviour.__init__(behaviour)
    else:
        raise AgentStateError(f"{type(behaviour).__name__} is a different kind of behaviour here")


# -- templates -----------------------------------------------------------------------------------------------


def _take_template(template: Template | None, whose: str) -> msgspec.Raw:
    if template is None:
        return plain_data.NIL
    if type(template) is not Template:
        raise MoveError(f"{whose} template is {type(template).__name__}, and only a Template can be carried")
    try:
        return _encoded(template)
    except plain_data.UncarriedError as error:
        raise MoveError(f"{whose} template has a value that {error}, which cannot be carried") from None


@functools.lru_cache(maxsize=1000)  # an agent that moves on has the template that it got on arrival
def _encoded(template: Template) -> msgspec.Raw:
    return msgspec.Raw(plain_data.encode(_as_lists(template.tree)))


def _as_lists(tree: Tree) -> Any:
    return tree if isinstance(tree, dict) else [tree[0], [_as_lists(part) for part in tree[1]]]


def _give_template(raw: bytes) -> Template | None:
    return _read_template(raw) if len(raw) <= _REMEMBERED else _read_template.__wrapped__(raw)


@functools.lru_cache(maxsize=1000)  # compiling one takes longer than restoring a behaviour
def _read_template(raw: bytes) -> Template | None:
    tree = plain_data.decode(raw)
    return None if tree is None else _made(tree)


def _made(tree: Any) -> Template:
    match tree:
        case dict():
            return Template(**tree)
        case ["not", [part]]:
            return ~_made(part)
        case [("and" | "or") as word, [first, *others]]:
            join = operator.and_ if word == "and" else operator.or_
            return functools.reduce(join, map(_made, others), _made(first))
        case _:
            raise ValueError("its template is not valid")


# -- machines ------------------------------------------------------------------------------------------------


def _take_machine(behaviour: FSMBehaviour, whose: str, *, is_caller: bool) -> MachineSnapshot:
    machine = behaviour.carry_machine()
    position = machine.current
    if is_caller and position is not None and (following := machine.states[position].next_state) is not None:
        try:
            behaviour.check_transition(position, following)
        except AgentStateError as error:
            raise MoveError(f"{whose} next state cannot be reached: {error}") from error
        position = following
    states = {
        name: StateSnapshot(
            kinds.name_of(type(state)),
            take_data(state, f"{whose} state {type(state).__name__}'s"),
            tuple(sorted(machine.transitions[name])),
        )
        for name, state in machine.states.items()
    }
    return MachineSnapshot(machine.first, position, states)


def _give_machine(
    machine: FSMBehaviour, snapshot: MachineSnapshot, entrance: kinds.Entrance, whose: str
) -> None:
    for name, carried in snapshot.states.items():
        kind = kinds.find(carried.kind, State, entrance)
        state = object.__new__(kind)
        State.__init__(state)
        give_data(state, carried.data, f"{whose} state {kind.__name__}'s")
        machine.add_state(name, state, initial=name == snapshot.first)
    for name, carried in snapshot.states.items():
        for dest in carried.leads_to:
            machine.add_transition(name, dest)
    if snapshot.position is not None:
        if snapshot.position not in snapshot.states:
            raise AgentStateError(f"the machine has no state {snapshot.position!r}")
        machine.resume_in(snapshot.position)
