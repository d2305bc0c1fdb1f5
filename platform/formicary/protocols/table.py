"""A protocol as a table: who may say what in which state, and where there are timeouts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from formicary.core.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

START = "start"
INITIATOR, PARTICIPANT = "initiator", "participant"
NOT_UNDERSTOOD, CANCELLED = "not-understood", "cancelled"


class Step(NamedTuple):
    """One message of a protocol.

    Attributes:
        state: the state in which it may be sent.
        role: the sender's role.
        performative: its performative, such as `"request"` (FIPA00037).
        next: the state after it.
    """

    state: str
    role: str
    performative: str
    next: str


class Timeout(NamedTuple):
    """A timeout.

    Attributes:
        state: the state in which an agent waits.
        parameter: its end: `"reply-by"`, or a word for readers of the table.
        next: the state after it.
    """

    state: str
    parameter: str
    next: str


class Stage:
    """A state of a protocol, compiled for looking it up for each message.

    Attributes:
        name: the state's name.
        by_initiator: the stage after each performative that the initiator may send here.
        by_participant: the same for the participant.
        after_time: the stage after a timeout; None if there is none.
        is_end: whether the conversation is over.
        is_open: whether messages of other agents count as the participant's.
    """

    __slots__ = ("after_time", "by_initiator", "by_participant", "is_end", "is_open", "name")

    def __init__(self, name: str, *, is_end: bool, is_open: bool) -> None:
        self.name = name
        self.is_end = is_end
        self.is_open = is_open
        self.after_time: Stage | None = None
        self.by_initiator: dict[str | None, Stage] = {}
        self.by_participant: dict[str | None, Stage] = {}


class Protocol:
    """An interaction protocol between an initiator and a participant; each of several has a conversation.

    In every state, either may answer `not-understood`, which ends the conversation, and the initiator may
    `cancel` (FIPA's meta-protocol): neither is in the table.

    Args:
        name: the `protocol` of messages, such as `"fipa-request"`.
        steps: the messages, each as (state, role, performative, next state). The first state is `"start"`.
        timeouts: the timeouts, each as (state, parameter, next state).
        ends: the end states.
        source: its source, such as `"FIPA SC00026"`.
        roles: the names of the two roles, the initiator's first.
        open_to_all: the states in which messages of other agents count as the participant's (recruiting).

    Raises:
        ProtocolError: a state cannot be reached or left, nobody can receive a message, or the next state is
            ambiguous.
    """

    def __init__(
        self,
        name: str,
        steps: Iterable[tuple[str, str, str, str]],
        *,
        timeouts: Iterable[tuple[str, str, str]] = (),
        ends: Sequence[str],
        source: str = "",
        roles: tuple[str, ...] = (INITIATOR, PARTICIPANT),
        open_to_all: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.source = source
        self.roles = roles
        self.steps = tuple(Step(*step) for step in steps)
        self.timeouts = tuple(Timeout(*timeout) for timeout in timeouts)
        self.ends = frozenset(ends) | {NOT_UNDERSTOOD, CANCELLED}
        self.open_to_all = frozenset(open_to_all)
        self.next = {(step.state, step.role, step.performative): step.next for step in self.steps}
        """The state after a message, by the state before it, its sender's role, and its performative."""
        self.after_time = {timeout.state: timeout.next for timeout in self.timeouts}
        self._check(list(ends))
        (self.opening,) = {step.performative for step in self.steps if step.state == START}
        """The performative of the first message."""
        spoken = {(step.state, step.role) for step in self.steps}
        self.speaks_alone = {
            state for state, role in spoken if role == roles[1] and (state, roles[0]) not in spoken
        }
        """The states in which only the participant can continue."""
        calls = {step.performative for step in self.steps if step.role == roles[0]}
        self.calls = {"cfp"} if "cfp" in calls else {self.opening}
        """The performatives for which a participant's function is called."""
        self.vocabulary = frozenset({*calls, "cancel", NOT_UNDERSTOOD})
        """The performatives of the initiator."""
        self.stages = self._compiled()
        """All states, by name."""
        self.first = self.stages[START]
        """The first state."""
        self.asked = self.first.by_initiator[self.opening]
        """The state after the first message."""

    def can_say(self, state: str, role: str) -> list[str]:
        """Return the performatives that a role may send in a state."""
        return [step.performative for step in self.steps if (step.state, step.role) == (state, role)]

    def why_not(self, state: str, role: str, performative: str | None) -> str:
        """Return a sentence with what cannot be sent, and what can."""
        known = ", ".join(self.can_say(state, role)) or "nothing"
        return (
            f"in {self.name}, the {role} cannot say {performative!r} in the state {state!r}: "
            f"it can say {known} there"
        )

    @property
    def states(self) -> list[str]:
        """All states, in the order of the table."""
        rows: list[Step | Timeout] = [*self.steps, *self.timeouts]
        return list(dict.fromkeys([START, *(state for row in rows for state in (row.state, row.next))]))

    def _compiled(self) -> dict[str, Stage]:
        stages = {
            name: Stage(name, is_end=name in self.ends, is_open=name in self.open_to_all)
            for name in {*self.states, *self.ends}
        }
        for step in self.steps:
            is_first = step.role == self.roles[0]
            stage = stages[step.state]
            (stage.by_initiator if is_first else stage.by_participant)[step.performative] = stages[step.next]
        for timeout in self.timeouts:
            stages[timeout.state].after_time = stages[timeout.next]
        for stage in stages.values():
            if not stage.is_end:
                stage.by_initiator["cancel"] = stages[CANCELLED]
                stage.by_initiator[NOT_UNDERSTOOD] = stage.by_participant[NOT_UNDERSTOOD] = stages[
                    NOT_UNDERSTOOD
                ]
        return stages

    # -- checks ---------------------------------------------------------------------------------------------

    def _check(self, ends: list[str]) -> None:
        if len(self.roles) != 2 or len(set(self.roles)) != 2:  # noqa: PLR2004 -- initiator and participant
            self._fail(f"has the roles {', '.join(self.roles)}: it takes two, the initiator's first")
        for step in self.steps:
            if step.role not in self.roles:
                self._fail(f"has {step.performative!r} from {step.role!r}, which is none of its roles")
            if step.state in self.ends:
                self._fail(
                    f"has {step.performative!r} in {step.state!r}, which is an end state, so no one "
                    "receives it"
                )
            if step.performative in {"cancel", "not-understood"}:
                self._fail(f"has {step.performative!r} in its table, which can be said everywhere")
        openings = {(step.role, step.performative) for step in self.steps if step.state == START}
        if {role for role, _ in openings} != {self.roles[0]} or len(openings) != 1:
            self._fail(f"does not begin with one message of the {self.roles[0]} in the state {START!r}")
        again = Counter((step.state, step.role, step.performative) for step in self.steps)
        for (state, role, performative), count in again.items():
            if count > 1:
                self._fail(f"declares {count} times what follows {performative!r} of the {role} in {state!r}")
        self._check_states(ends)

    def _check_states(self, ends: list[str]) -> None:
        rows: list[Step | Timeout] = [*self.steps, *self.timeouts]
        moves = [(row.state, row.next) for row in rows]
        reached, new = set(), {START}
        while new:
            reached |= new
            new = {after for before, after in moves if before in new} - reached
        for state in [*self.states, *ends]:
            if state not in reached:
                self._fail(f"has the state {state!r}, which cannot be reached from {START!r}")
            if state not in self.ends and not any(before == state for before, _ in moves):
                self._fail(f"has the state {state!r}, which has no way out and is not an end state")

    def _fail(self, what: str) -> None:
        raise ProtocolError(f"the protocol {self.name} {what}")

    def __repr__(self) -> str:
        return f"<Protocol {self.name}>"
