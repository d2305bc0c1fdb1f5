"""Containers with real routers and links, over simulated paths that lose, double and delay frames, or end."""

from __future__ import annotations

import asyncio
import random
from math import ceil

from formicary.container.options import ConnectionOptions
from formicary.transport.router import Router


class Mesh:
    """The containers' meeting point: `Container("c1", server=mesh)`.

    Args:
        seed: of everything random.
    """

    platform = "lab.localhost"

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.routers = {}
        self.dead = set()
        self.cut = set()  # pairs of containers between which nothing gets through
        self.loss = 0.0
        self.delay = 0.002
        self.turn = 0.0
        """Seconds between two times that containers read; 0: what comes is read at once."""
        self._unread = {}  # frames, by the time at which they are read, with their ways

    def transport(self, options):
        del options
        return MeshRouter(self)

    def read_at(self, time, way, frame):
        """Schedule the reading of a frame, behind all others of that time; return the time."""
        if self.turn:
            time = ceil(time / self.turn - 1e-9) * self.turn
        if time not in self._unread:
            self._unread[time] = []
            asyncio.get_running_loop().call_at(time, self._read, time)
        self._unread[time].append((way, frame))
        return time

    def _read(self, time):
        for way, frame in self._unread.pop(time):
            way.arrive(frame)

    def kill(self, domain):
        """Cut a container off for good; whoever writes to it learns that."""
        self.dead.add(domain)


class MeshRouter(Router):
    """A router whose links only have a simulated path."""

    def __init__(self, mesh):
        super().__init__(None, ConnectionOptions(route="auto"))
        self.mesh = mesh

    async def open(self, container):
        self.container = container
        container.dispatcher.overflow.pause = self._freeze
        self.mesh.routers[container.domain] = self

    def _indirect_path(self, link):
        return Way(self.mesh, self.container.domain, link.domain)


class Way:
    """A path from one container to another."""

    kind = "mesh"
    is_up = True
    has_room = True

    def __init__(self, mesh, source, target):
        self.mesh, self.source, self.target = mesh, source, target
        self.latest = 0.0  # when the latest frame comes

    def send(self, frame):
        mesh, loop = self.mesh, asyncio.get_running_loop()
        if self.source in mesh.dead:
            return
        delay = mesh.delay * mesh.chance.uniform(0.5, 2)
        if self.target in mesh.dead or self.target not in mesh.routers:
            loop.call_later(delay, self._bounce)
        elif frozenset((self.source, self.target)) not in mesh.cut and mesh.chance.random() >= mesh.loss:
            due = max(self.latest + 1e-6 * (not mesh.turn), loop.time() + delay)
            for _ in range(1 + (mesh.chance.random() < mesh.loss)):
                self.latest = mesh.read_at(due, self, frame)

    def arrive(self, frame):
        if self.target not in self.mesh.dead:
            self.mesh.routers[self.target].on_frame(self.source, frame)

    def _bounce(self):
        if self.source not in self.mesh.dead:
            self.mesh.routers[self.source].on_bounce(self.target, "it is dead", is_away=True)

    def trouble(self):
        return "of which nothing is known"
