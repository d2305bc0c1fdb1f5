"""What rows hold besides times and rates: estimates that only some experiments have."""

from __future__ import annotations

import msgspec

from formicary_bench.statistics.estimates import Estimate  # noqa: TC001 - msgspec resolves the annotations


class MemoryEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """What the processes of a configuration hold of the memory, in bytes. What was not measured is None.

    Attributes:
        uss: What the operating system gave to them alone (the unique set size).
        traced: What Python has traced of its objects, in processes of their own.
        uss_values: The repetitions' values that `uss` is the mean of.
        traced_values: As `uss_values`.
        growth_per_s: Bytes per second by which `uss` grows under load, once it has settled.
        growth_values: The repetitions' values that `growth_per_s` is the mean of.
        growth_per_message: The same per message.
        messages: How many messages there were in all.
        over_time: What the processes held while the load went on, of each repetition: seconds and bytes, the
            medians of as many parts of the time.
    """

    uss: Estimate
    traced: Estimate | None = None
    uss_values: tuple[float, ...] = ()
    traced_values: tuple[float, ...] = ()
    growth_per_s: Estimate | None = None
    growth_values: tuple[float, ...] = ()
    growth_per_message: Estimate | None = None
    messages: int = 0
    over_time: tuple[tuple[tuple[float, float], ...], ...] = ()


class Trial(msgspec.Struct, frozen=True):
    """A try of a rate.

    Attributes:
        repetition: In which search, from 1.
        rate: Messages per second.
        kept: Whether 99% were answered in time, and all were answered, by a sender that kept its schedule.
        p99_us: Within how many microseconds 99% were answered; 0 if nothing was measured.
        answered: How many messages were measured.
        late: How many of them were sent late.
        lost: How many messages were never answered.
    """

    repetition: int
    rate: int
    kept: bool
    p99_us: float
    answered: int
    late: int
    lost: int


class SaturationEstimates(msgspec.Struct, frozen=True):
    """What was found.

    Attributes:
        limit_us: Within how many microseconds 99% were to be answered.
        rate: The highest rate that was kept, the mean of all searches; 0 if none was.
        ci95: Its 95% interval over the searches; None if there was one.
        missed: The lowest rate that was missed, the mean of the searches; None if one of them met none.
        trials: All that was tried, in order.
    """

    limit_us: int
    rate: float
    ci95: tuple[float, float] | None
    missed: float | None
    trials: tuple[Trial, ...]


class NetworkEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """What went over the wire while all pairs were measured together.

    Attributes:
        wire_bytes_per_s: Bytes on the wire per second, with the headers of all layers.
        packets_per_s: Packets per second, those that only acknowledge included.
        payload_bytes_per_s: Bytes of the messages' bodies per second.
        wire_bytes_per_message: Bytes on the wire for each message. Through the server each message goes over
            it twice: to the server, and from it.
        overhead: Bytes on the wire for each byte of a body; None for empty bodies.
        messages_per_packet: Messages for each packet: more than one where they go in batches.
        wire_overhead_per_message: Bytes on the wire for each message beyond its body.
        server_share: What part of the bytes went to or from the XMPP server: of those that the connections of
            the process that asks have carried, which see one of the two ways of each message.
        to_server_per_message: Bytes that went from a container to the server for a message, without the
            headers of TCP; 0 where none did, None where that is not known.
        from_server_per_message: Bytes that went from the server to a container.
    """

    wire_bytes_per_s: Estimate
    packets_per_s: Estimate
    payload_bytes_per_s: Estimate
    wire_bytes_per_message: Estimate
    overhead: Estimate | None
    messages_per_packet: Estimate
    wire_overhead_per_message: Estimate
    server_share: float
    to_server_per_message: Estimate | None = None
    from_server_per_message: Estimate | None = None


class LoopSize(msgspec.Struct, frozen=True):
    """Loops of one size: how many operations they have, and the total time of one in seconds."""

    size: int
    total_s: Estimate


class LoopEstimates(msgspec.Struct, frozen=True):
    """What loops of an operation took.

    Attributes:
        sustained: Operations per second, while the largest loop is made again and again.
        peak: Operations per second of the loops of that size in which they were most.
        peak_at: How many operations these loops have.
        sizes: The loops of each size, the smallest first.
    """

    sustained: Estimate
    peak: Estimate
    peak_at: int
    sizes: tuple[LoopSize, ...]


class SwapEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """What agents on a grid have done.

    Attributes:
        swaps_per_s: Requests that were granted, per second.
        messages_per_s: Messages per second: two for each request.
        refused: What part of all requests was refused.
        mean: Swaps of an agent, on average.
        deviation: The standard deviation of the agents' swaps.
        by_chance: The same, divided by the root of their mean: 1 where each swap falls to any agent by
            chance, less where one that swaps cannot be asked meanwhile.
        unfairness: By what part of the most swaps of an agent the fewest are less.
        held_bytes: What the processes of all agents hold of the memory.
    """

    swaps_per_s: Estimate
    messages_per_s: Estimate
    refused: Estimate
    mean: Estimate
    deviation: Estimate
    by_chance: Estimate
    unfairness: Estimate
    held_bytes: Estimate | None = None


class ServiceEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """What the process of `service/mediated` holds; None of other platforms' processes.

    Attributes:
        held_bytes: When all rounds are over.
        grew_bytes: By how much that is more than after the first twentieth of them.
    """

    held_bytes: Estimate | None = None
    grew_bytes: Estimate | None = None


class ComputeEstimates(msgspec.Struct, frozen=True):
    """What agents that compute took.

    Attributes:
        speed_up: The CPU time of all computations together over the time until the last one had ended.
        cpu_s: That CPU time, in seconds.
        elapsed_s: That time.
    """

    speed_up: Estimate
    cpu_s: Estimate
    elapsed_s: Estimate


class ScaleEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes while all pairs of all hosts are measured together. What was not counted is None.

    Attributes:
        agents_us: Microseconds of CPU that a message takes of the agents' processes: of the one that sends it
            and the one that receives it together.
        server_us: The same of all XMPP servers that it goes through; zero where it goes through none.
        agents_bytes: Memory of one agents' process.
        server_bytes: Memory of one server.
        busy: The part of the busiest host's CPU time that was used.
        wire_bytes: Bytes on the wire of the hosts for each message; each is sent by one, received by another.
        rates: Round trips per second of each repetition, of all hosts together.
        rtts_us: Mean round-trip time of each repetition, in microseconds.
    """

    agents_us: Estimate | None = None
    server_us: Estimate | None = None
    agents_bytes: Estimate | None = None
    server_bytes: Estimate | None = None
    busy: Estimate | None = None
    wire_bytes: Estimate | None = None
    rates: tuple[float, ...] = ()
    rtts_us: tuple[float, ...] = ()
