"""A network of a repetition's own in which packets are on their way for some time, where the kernel can.

It is a network namespace with a loopback interface, whose packets the kernel keeps for so long (netem): those
of a request, and those of its answer. What is started in the block is in it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.web_shop import Shopping
from formicary_bench.netlab.make import check_machine
from formicary_bench.netlab.network import try_out
from formicary_bench.netlab.programs import FailedError, run
from formicary_bench.runner.errors import RepetitionError
from formicary_bench.runner.execution.own_network import has_own_network, own_network

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary_bench.vocabulary.configuration import Configuration

_TRIAL = "delay"
_PACKETS = 100_000  # that may be on their way, so that none is lost to the delay itself


def check_delays(plan: Iterable[Configuration]) -> None:
    """Make sure that this machine can delay packets, if a plan needs that.

    Raises:
        LabError: it cannot; says what to do.
    """
    if any(map(delay_of, plan)):
        check_machine()
        try_out(_TRIAL, "", "1ms")


def delay_of(configuration: Configuration) -> int:
    """Return for how many microseconds each packet is on its way besides."""
    return Shopping.of(configuration).delay_us


@contextmanager
def delayed_network(delay_us: int) -> Iterator[None]:
    """Be in such a network; for the main thread.

    Args:
        delay_us: for how many microseconds each packet is on its way; with 0 nothing is changed.

    Raises:
        RepetitionError: there is none to be had.
    """
    if not delay_us:
        yield
        return
    with own_network():
        if not has_own_network():
            raise RepetitionError(
                "packets cannot be delayed without a network of its own; run as root on Linux"
            )
        try:
            keep = ["netem", "delay", f"{delay_us}us", "limit", str(_PACKETS)]
            run("tc", "qdisc", "add", "dev", "lo", "root", *keep)
        except (FailedError, FormicaryError) as error:
            raise RepetitionError(f"packets cannot be delayed here: {error}; leave --delay out") from error
        yield
