"""The sockets at which others can reach a container, where the system says no."""

from __future__ import annotations

import asyncio
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


async def test_a_connection_that_has_gone_already_keeps_no_other_from_being_accepted():
    loop = asyncio.get_running_loop()
    welcomed = []

    async def welcome(connected, is_tcp, begun):
        welcomed.append(is_tcp)
        connected.close()

    async def accept(listening):
        connected, address = await type(loop).sock_accept(loop, listening)
        return Gone(fileno=connected.detach()), address

    loop.sock_accept = accept
    listener = Listener("c1.lab.localhost", welcome, Counter())
    await listener.open("127.0.0.1")
    try:
        for number in (1, 2):
            with socket.create_connection(listener.tcp[0]):
                await until(lambda expected=number: welcomed == [True] * expected)
    finally:
        await listener.close()


class Refusing:
    """A loop's `sock_accept` that fails with these errors before it accepts, for TCP."""

    def __init__(self, *errors):
        self.loop = asyncio.get_running_loop()
        self.errors = list(errors)
        self.loop.sock_accept = self.accept

    async def accept(self, listening):
        if listening.family == socket.AF_INET and self.errors:
            code = self.errors.pop(0)
            raise OSError(code, os.strerror(code))
        return await type(self.loop).sock_accept(self.loop, listening)


async def accept_after(*errors):
    """Return what was counted until a connection was accepted after these errors."""
    welcomed, dropped = [], Counter()
    refusing = Refusing(*errors)

    async def welcome(connected, is_tcp, begun):
        assert not refusing.errors
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
async def test_where_nothing_can_be_accepted_it_says_so_once_and_tries_again(monkeypatch, caplog, code):
    monkeypatch.setattr(accepting, "_RETRY", 0.001)
    assert await accept_after(code, code, code) == {"not accepted": 3}
    (said,) = caplog.messages
    assert said.startswith(f"c1.lab.localhost accepts no direct connections for now: {os.strerror(code)}")
    assert ("`ulimit -n`" in said, "end other programs" in said) == (
        code == errno.EMFILE,
        code == errno.ENFILE,
    )
    assert caplog.records[0].levelno == logging.WARNING


async def test_what_has_gone_before_it_was_accepted_is_not_waited_for(monkeypatch, caplog):
    monkeypatch.setattr(accepting, "_RETRY", 1e9)
    assert await accept_after(errno.ECONNABORTED) == {"not accepted": 1}
    assert caplog.messages == []


async def test_without_file_descriptors_a_half_open_connection_has_to_go(monkeypatch):
    monkeypatch.setattr(accepting, "_RETRY", 0.001)
    dropped, begun, ended = Counter(), [], []

    async def welcome(connected, is_tcp, _):
        begun.append(is_tcp)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            connected.close()
            ended.append(is_tcp)

    refusing = Refusing()
    listener = Listener("c1.lab.localhost", welcome, dropped)
    await listener.open("127.0.0.1")
    try:
        with socket.create_connection(listener.tcp[0]):
            await until(lambda: begun)
            refusing.errors.append(errno.EMFILE)
            with socket.create_connection(listener.tcp[0]):
                await until(lambda: ended)
        assert dropped == {"not accepted": 1, "too many at once": 1}
    finally:
        await listener.close()
