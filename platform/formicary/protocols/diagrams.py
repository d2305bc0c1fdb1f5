"""Mermaid state and sequence diagrams of a protocol, from its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.protocols.table import START

if TYPE_CHECKING:
    from formicary.protocols.table import Protocol, Step


def state_diagram(protocol: Protocol) -> str:
    """Return a Mermaid state diagram of a protocol, as text."""
    names = {state: state.replace("-", "_") for state in protocol.states}
    names[START] = "[*]"
    lines = ["stateDiagram-v2"]
    lines += [
        f"    {names[step.state]} --> {names[step.next]} : {step.role[0].upper()}: {step.performative}"
        for step in protocol.steps
    ]
    lines += [f"    {names[row.state]} --> {names[row.next]} : {row.parameter}" for row in protocol.timeouts]
    lines += [f"    {names[state]} --> [*]" for state in protocol.states if state in protocol.ends]
    return "\n".join(lines)


def sequence_diagram(protocol: Protocol) -> str:
    """Return a Mermaid sequence diagram of a protocol, as text, with what may follow each message."""
    lines = ["sequenceDiagram", *(f"    participant {role}" for role in protocol.roles)]
    _write(protocol, START, lines, "    ", {START})
    return "\n".join(lines)


def _write(protocol: Protocol, state: str, lines: list[str], margin: str, seen: set[str]) -> None:
    steps = [step for step in protocol.steps if step.state == state]
    if len(steps) == 1:
        _write_step(protocol, steps[0], lines, margin, seen)
        return
    for number, step in enumerate(steps):
        lines.append(f"{margin}{'else' if number else 'alt'} {step.performative}")
        _write_step(protocol, step, lines, margin + "    ", seen)
    if steps:
        lines.append(f"{margin}end")


def _write_step(protocol: Protocol, step: Step, lines: list[str], margin: str, seen: set[str]) -> None:
    first, second = protocol.roles
    other = second if step.role == first else first
    lines.append(f"{margin}{step.role}->>{other}: {step.performative}")
    if step.next not in seen:
        seen.add(step.next)
        _write(protocol, step.next, lines, margin, seen)
    elif step.next not in protocol.ends:
        lines.append(f"{margin}Note over {first},{second}: again, as after {step.next}")
