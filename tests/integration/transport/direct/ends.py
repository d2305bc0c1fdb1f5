"""Two containers' ends of direct connections, on both kinds of event loop."""

from __future__ import annotations

import asyncio
import functools
import inspect
from contextlib import asynccontextmanager

import msgspec
import pytest

from formicary.transport.direct import DirectEndpoint

C1, C2, C3 = (f"{name}.lab.localhost" for name in ("c1", "c2", "c3"))


def both_loops(test):
    """Run an async test with asyncio's own loop and with uvloop; errors that a loop meets fail it."""

    @pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
    @functools.wraps(test)
    def run(loop, **fixtures):
        import uvloop

        errors = []

        async def watched():
            asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
            async with asyncio.timeout(60):
                await test(**fixtures)
            assert asyncio.all_tasks() == {asyncio.current_task()}

        factory = uvloop.new_event_loop if loop == "uvloop" else asyncio.new_event_loop
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(watched())
        assert errors == []

    wanted = inspect.signature(test).parameters.values()
    loop = inspect.Parameter("loop", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    run.__signature__ = inspect.Signature([loop, *wanted])
    return run


class End:
    """A container's end: what it has accepted and what came."""

    def __init__(self, domain, *, tls=True, listen=None, admit=lambda _: None):
        self.domain = domain
        self.accepted = asyncio.Queue()
        self.direct = DirectEndpoint(
            domain, tls=tls, listen=listen, on_connection=self.accepted.put_nowait, admit=admit
        )

    async def __aenter__(self):
        await self.direct.open()
        return self

    async def __aexit__(self, *_):
        await self.direct.close()
        while not self.accepted.empty():
            self.accepted.get_nowait().abort()
        await asyncio.sleep(0)

    def know(self, other):
        """Tell each about the other, as hellos do."""
        self.direct.peers.expect(other.domain, other.direct.offer(self.domain).certificate)
        other.direct.peers.expect(self.domain, self.direct.offer(other.domain).certificate)

    def offer(self, to, *, over="any"):
        return only(self.direct.offer(to.domain), over)


def only(offer, over):
    """Leave only one way in an offer."""
    if over == "tcp":
        return msgspec.structs.replace(offer, unix=None)
    return msgspec.structs.replace(offer, tcp=()) if over == "unix" else offer


class Talk:
    """A started connection, and what has come over it."""

    def __init__(self, connection):
        self.connection = connection
        self.frames = asyncio.Queue()
        self.lost = asyncio.get_running_loop().create_future()
        self.room = asyncio.Queue()
        connection.start(
            on_frame=self.frames.put_nowait,
            on_read_end=lambda: None,
            on_room=self.room.put_nowait,
            on_lost=self.lost.set_result,
        )


@asynccontextmanager
async def connected(dialler, acceptor, offer):
    """Connect two ends; give both sides' talks."""
    ours = await dialler.direct.dial(acceptor.domain, offer)
    theirs = await acceptor.accepted.get()
    try:
        yield Talk(ours), Talk(theirs)
    finally:
        await asyncio.gather(ours.close(), theirs.close())
