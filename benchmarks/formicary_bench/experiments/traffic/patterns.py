"""Who sends to whom: the two communication tests of Pérez-Carro 2013, Section 3.2.2. Pure.

In the ring (test 1) each of N agents sends to the next, then to the next but one, and so on round, and
answers all others. In massive reception (test 2) each of N senders has one of M receivers, which answers.

Agents are spread over containers by their numbers, receivers as senders are: so as far as the number of
receivers is one of times that of containers, each sender has its receiver in its own container.
"""

from __future__ import annotations


def partner_in_ring(agent: int, trip: int, agents: int) -> int:
    """Return to whom an agent sends on a trip, counted from 0: to all others in turn, never to itself."""
    return (agent + 1 + trip % (agents - 1)) % agents


def receiver_of(sender: int, receivers: int) -> int:
    """Return the number of the receiver that a sender has."""
    return sender % receivers


def container_of(number: int, containers: int) -> str:
    """Return the name of the container in which an agent lives."""
    return f"c{number % containers + 1}"
