"""How many services one agent can have: the same in each way in which the directory is built."""

from __future__ import annotations

import pytest
from tests.unit.core.agents import start
from tests.unit.directory.asking import ALICE, directory, register, service

from formicary import Container, Services
from formicary.directory.central import draft
from formicary.directory.model import description
from formicary.directory.replicated import directory as replicated
from formicary.errors import TooManyServicesError

pytestmark = pytest.mark.virtual_clock


@pytest.fixture(autouse=True)
def _three(monkeypatch):
    """Have three be as many as an agent can have."""
    for module in (description, draft, replicated):
        monkeypatch.setattr(module, "MOST_SERVICES", 3)


@pytest.mark.parametrize("design", ["replica", "central"])
async def test_who_has_as_many_as_it_can_registers_no_more_but_goes_on(design):
    async with Container("c1", services=Services(directory=design)) as container:
        alice, bob = await start(container, "alice"), await start(container, "bob")
        for name in "abc":
            await alice.directory.register("printer", name)
        with pytest.raises(TooManyServicesError, match=r"alice@c1\..* has 3 services, .* deregister some"):
            await alice.directory.register("printer", "d")
        await alice.directory.modify("scanner", "c")
        await bob.directory.register("printer", "d")
        await alice.directory.deregister("a")
        await alice.directory.register("printer", "d")
        found = await alice.directory.search(agent=alice.address, type="printer")
        assert sorted(each.name for each in found) == ["b", "d"]


@pytest.mark.parametrize("has_file", [False, True])
async def test_a_request_with_too_many_registers_none(tmp_path, has_file):
    path = tmp_path / "df.sqlite" if has_file else None
    async with directory("alice", path=path) as (df, alice):
        [(performative, said)] = await alice.ask(register(*(service(name=name) for name in "abcd")))
        assert (performative, said["error"]) == ("refuse", "too-many-services")
        assert df.ledger.index.count_of(ALICE) == 0
        [(performative, _)] = await alice.ask(register(*(service(name=name) for name in "abc")))
        assert performative == "inform"
        assert df.ledger.index.count_of(ALICE) == 3


async def test_renewing_is_no_way_around_it():
    async with directory("alice") as (df, alice):
        await alice.ask(register(*(service(name=name) for name in "abc")))
        renew = {**register(service(name="d")), "action": "renew"}
        [(performative, said)] = await alice.ask(renew)
        assert (performative, said["error"]) == ("refuse", "too-many-services")
        [(performative, _)] = await alice.ask({**renew, "services": [service(name="a")]})
        assert performative == "inform"
        assert df.ledger.index.count_of(ALICE) == 3
