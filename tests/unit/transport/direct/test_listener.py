"""The sockets at which others can reach a container, where the system says no."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter

from tests.integration.transport.raw import until

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
