"""Who sends to whom: the two communication tests of Pérez-Carro 2013, Section 3.2.2. Pure.

In the ring (test 1) each of N agents sends to the next, then to the next but one, and so on round, and
answers all others. In massive reception (test 2) each of N senders has one of M receivers, which answers.

Agents are spread over containers by their numbers, receivers as senders are: so as far as the number of
receivers is one of times that of containers, each sender has its receiver in its own container.
"""

from __future__ import annotations


def partners_of(agent: int, agents: int, receivers: int) -> list[int]:
    """Return the numbers of those to whom an agent sends in turn: its receiver, or in a ring all others."""
    if receivers:
        return [agent % receivers]
    return [(agent + 1 + turn) % agents for turn in range(agents - 1)]


def container_of(number: int, containers: int) -> str:
    """Return the name of the container in which an agent lives."""
    return f"c{number % containers + 1}"
