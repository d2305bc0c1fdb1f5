"""Agents that ask a directory, and what tests of it need beside them."""

from __future__ import annotations

import itertools
import json
import threading
from contextlib import asynccontextmanager, closing

from formicary import Container, Message, MicroAgent
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.central.store import Store
from formicary.testing import until_idle

DF = "df@c1.lab.localhost"
ALICE = "alice@c1.lab.localhost"
BOB = "bob@c1.lab.localhost"

_numbers = itertools.count()


class Asker(MicroAgent):
    """An agent that sends what it is told to, and keeps what comes."""

    def __init__(self, name):
        super().__init__(name)
        self.messages = []

    def handle(self, message):
        self.messages.append(message)

    def tell(self, content="", performative="request", to=DF, **more):
        """Send a message; return what its answer carries."""
        body = content if isinstance(content, (str, bytes)) else json.dumps(content)
        name = more.setdefault("reply_with", f"r{next(_numbers)}")
        self.send_nowait(Message(to, body=body, performative=performative, **more))
        return name

    async def ask(self, content="", performative="request", **more):
        """Send a message in virtual time; return the performative and content of all that comes."""
        del self.messages[:]
        self.tell(content, performative, **more)
        await until_idle()
        return self.heard()

    def heard(self):
        """Return the performatives and contents of what has come, and forget them."""
        heard = [(message.performative, content(message)) for message in self.messages]
        del self.messages[:]
        return heard

    def informs(self):
        """Return the contents of the notifications that have come, and forget them."""
        heard = self.heard()
        assert {performative for performative, _ in heard} <= {"inform"}
        return [said for _, said in heard]


def content(message):
    return json.loads(message.body) if message.body else None


def service(agent=ALICE, type_="printer", **more):
    return {"agent": agent, "type": type_, **more}


def register(*services, **more):
    return {"action": "register", "services": [*services], **more}


def search(**query):
    return {"action": "search", "query": query}


def names(heard):
    """Return the names of the services in the only answer, which is an `inform`."""
    ((performative, said),) = heard
    assert performative == "inform", said
    return [each.get("name", each["type"]) for each in said.get("services", ())]


async def begin(container, *askers):
    """Start askers with these names."""
    agents = [Asker(name) for name in askers]
    for agent in agents:
        await container.start(agent)
    return agents


@asynccontextmanager
async def directory(*askers, path=None, name="c1", **options):
    """Give a container's directory and askers: `async with directory("alice") as (df, alice)`."""
    async with Container(name) as container:
        df = DirectoryAgent(path=path, **options)
        await df.open()
        await container.start(df)
        try:
            yield df, *await begin(container, *askers)
        finally:
            await df.close()


class Gate:
    """Holds up what is written to directories' files until it is opened, and can make it fail."""

    def __init__(self, monkeypatch):
        self.open = threading.Event()
        self.has_begun = threading.Event()
        self.batches = []
        self.failure = None
        write = Store.write

        def wait(store, changes):
            self.has_begun.set()
            assert self.open.wait(10)
            self.batches.append([key.name for key in changes])
            if self.failure:
                raise self.failure
            write(store, changes)

        monkeypatch.setattr(Store, "write", wait)


def load(path):
    """Return the records in a file, by kind and name."""
    with closing(Store(path)) as store:
        return {(record.key.kind, record.key.name): record for record in store.load()}
