"""The sockets at which others can reach a container, where the system says no."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import socket
from collections import Counter

import pytest
from tests.integration.transport.raw import until

from formicary.transport import accepting
from formicary.transport.direct.listener import Listener


class Gone(socket.socket):
    """A connection that has ended before anything can be set, which some systems say at once."""

    def setsockopt(self, *arguments):
        raise OSError(22, "Invalid argument")


async def test_a_connection_that_has_gone_already_keeps_no_other_from_being_accepted(monkeypatch):
    accept = socket.socket.accept
    welcomed = []

    async def welcome(connected, is_tcp, begun):
        welcomed.append(is_tcp)
        connected.close()

    def accept_gone(listening):
        connected, address = accept(listening)
        return Gone(fileno=connected.detach()), address

    monkeypatch.setattr(socket.socket, "accept", accept_gone)
    listener = Listener("c1.lab.localhost", welcome, Counter())
    await listener.open("127.0.0.1")
    try:
        for number in (1, 2):
            with socket.create_connection(listener.tcp[0]):
                await until(lambda expected=number: welcomed == [True] * expected)
    finally:
        await listener.close()


async def test_a_connection_that_comes_as_the_listener_closes_is_lost_without_an_error():
    async def welcome(connected, is_tcp, begun):
        connected.close()

    listener = Listener("c1.lab.localhost", welcome, Counter())
    await listener.open("127.0.0.1")
    await asyncio.sleep(0)  # now it waits for connections
    with socket.create_connection(listener.tcp[0], timeout=60) as connected:
        await asyncio.sleep(0)
        await listener.close()
        with contextlib.suppress(ConnectionResetError):
            assert connected.recv(1) == b""


@pytest.fixture
def codes(monkeypatch):
    """The errors with which TCP sockets fail before they accept; a test adds to them."""
    accept, remaining = socket.socket.accept, []

    def fail_first(listening):
        if listening.family == socket.AF_INET and remaining:
            code = remaining.pop(0)
            raise OSError(code, os.strerror(code))
        return accept(listening)

    monkeypatch.setattr(socket.socket, "accept", fail_first)
    return remaining


async def accept_after(codes):
    """Return what was counted until a connection was accepted after these errors."""
    welcomed, dropped = [], Counter()

    async def welcome(connected, is_tcp, begun):
        assert not codes
        connected.close()
        welcomed.append(is_tcp)

    listener = Listener("c1.lab.localhost", welcome, dropped)
    await listener.open("127.0.0.1")
    try:
        with socket.create_connection(listener.tcp[0]):
            await until(lambda: welcomed)
    finally:
        await listener.close()
    return dropped


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS])
async def test_where_nothing_can_be_accepted_it_says_so_once_and_tries_again(
    monkeypatch, caplog, codes, code
):
    monkeypatch.setattr(accepting, "_RETRY", 0.001)
    codes += [code] * 3
    assert await accept_after(codes) == {"not accepted": 3}
    (said,) = caplog.messages
    assert said.startswith(f"c1.lab.localhost accepts no direct connections for now: {os.strerror(code)}")
    assert ("`ulimit -n`" in said, "end other programs" in said) == (
        code == errno.EMFILE,
        code == errno.ENFILE,
    )
    assert caplog.records[0].levelno == logging.WARNING


async def test_what_has_gone_before_it_was_accepted_is_not_waited_for(monkeypatch, caplog, codes):
    monkeypatch.setattr(accepting, "_RETRY", 1e9)
    codes.append(errno.ECONNABORTED)
    assert await accept_after(codes) == {"not accepted": 1}
    assert caplog.messages == []


async def test_without_file_descriptors_a_half_open_connection_has_to_go(monkeypatch, codes):
    monkeypatch.setattr(accepting, "_RETRY", 0.001)
    dropped, begun, ended = Counter(), [], []

    async def welcome(connected, is_tcp, _):
        begun.append(is_tcp)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            connected.close()
            ended.append(is_tcp)

    listener = Listener("c1.lab.localhost", welcome, dropped)
    await listener.open("127.0.0.1")
    try:
        with socket.create_connection(listener.tcp[0]):
            await until(lambda: begun)
            codes.append(errno.EMFILE)
            with socket.create_connection(listener.tcp[0]):
                await until(lambda: ended)
        assert dropped == {"not accepted": 1, "too many at once": 1}
    finally:
        await listener.close()
