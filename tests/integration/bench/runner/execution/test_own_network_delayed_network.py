"""A link with a delay: in a network of its own, and refused where the kernel cannot do it."""

import os
import socket
import time

import pytest

from formicary.errors import FormicaryError
from formicary_bench.netlab import LabError, make
from formicary_bench.netlab.network import FailedError
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution import own_network as networks
from formicary_bench.runner.execution.own_network import check_delays, has_own_network, own_network
from formicary_bench.runner.execution.own_network import delayed_network as delayed
from formicary_bench.vocabulary.configuration import Configuration

PLAN = [Configuration(experiment="mobile/web-shop", platform="formicary", parameters={"delay_us": 2000})]
DELAY_US = 20_000

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def test_a_plan_without_delays_needs_nothing(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    check_delays([Configuration(experiment="mobile/web-shop", platform="formicary")])
    with delayed(0):
        assert not has_own_network()


def test_who_is_not_root_is_told_so_before_anything_is_measured(monkeypatch):
    monkeypatch.setattr(make.os, "geteuid", lambda: 1000)
    with pytest.raises(LabError, match="requires root"):
        check_delays(PLAN)


def test_packets_are_on_their_way_for_so_long_where_the_kernel_can():
    try:
        check_delays(PLAN)
    except LabError as error:
        assert "omit --delay" in str(error) or "requires root" in str(error)  # noqa: PT017 -- either may be
        pytest.skip(f"cannot delay packets here: {error}")
    with delayed(DELAY_US), socket.create_server(("127.0.0.1", 0)) as server:
        began = time.perf_counter()
        with socket.create_connection(server.getsockname()):  # there, and back
            assert time.perf_counter() - began >= 2 * DELAY_US / 1e6
    assert not has_own_network()


@as_root
def test_what_is_wrong_is_said_and_the_network_of_before_is_back(monkeypatch):
    def fail(*command):
        assert command[:2] == ("tc", "qdisc")
        raise FailedError("no such thing", "tc cannot do it")

    monkeypatch.setattr(networks, "run", fail)
    with own_network():
        message = r"packets cannot be delayed here: .*leave --delay out"
        with pytest.raises(RepetitionError, match=message), delayed(DELAY_US):
            pass
        assert has_own_network()  # as before
    assert not has_own_network()
    assert issubclass(RepetitionError, FormicaryError)


def test_without_a_network_of_its_own_there_is_no_delay(monkeypatch):
    monkeypatch.setattr(networks, "has_own_network", lambda: False)
    with pytest.raises(RepetitionError, match="run as root on Linux"), delayed(DELAY_US):
        pass
