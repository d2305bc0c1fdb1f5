"""Members over many hosts, as many parts in one process: they meet, talk to each other only, and stay."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module

import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import configured

from formicary.server import ManagedServer, ServerAddress
from formicary_bench.subjects.ours import operations
from formicary_bench.subjects.registry import subject_of
from formicary_bench.vocabulary.places import (
    ALL_TO_ALL,
    APART,
    DIRECT,
    N_HOSTS,
    RING,
    SPREADS,
    TRAFFICS,
    XMPP,
    member_name,
)
from formicary_bench.vocabulary.values import DESIGNS
from formicary_bench.worker.messages import Job, Server
from formicary_bench.worker.workload import Workload

TRIPS = 12
KINDS = ("behaviours", "micro")


def many(hosts, traffic, *, kind="behaviours", route=DIRECT, **about):
    known = {"experiment": "messaging/pairs", "pairs": 5, "rounds": (2, 6, 4)}
    return configured(
        platform="formicary",
        kind=kind,
        placement=N_HOSTS,
        route=route,
        hosts=hosts,
        traffic=traffic,
        payload_bytes=20,
        **{**known, **about},
    )


@asynccontextmanager
async def members(configuration, server=None):
    """Prepare all members, the first one first, and let them meet, as the engine does."""
    part = import_module(subject_of(configuration.platform, configuration.kind).module).member
    async with AsyncExitStack() as stack:
        sides, peer = [], ""
        for member in range(configuration.hosts):
            about = {"member": member, "members": configuration.hosts, "peer": peer, "server": server}
            work = Workload(Job(configuration, "member", 7 + member, **about))
            side = await stack.enter_async_context(part(work))
            peer = peer or side.endpoint
            sides.append((work, side))
        await asyncio.gather(*(side.meet() for _, side in sides))
        yield sides


async def measured(configuration, server=None):
    """Measure with all members concurrently; return the round trips of each agent."""
    async with asyncio.timeout(60), members(configuration, server) as sides:
        await asyncio.gather(*(side.measure() for _, side in sides if side.measure))
        assert [side.complaint() for _, side in sides] == [""] * configuration.hosts
        return [[len(times.rtts) for times in work.times] for work, _ in sides]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("traffic", TRAFFICS)
@pytest.mark.parametrize("hosts", [2, 4])
async def test_members_meet_by_joining_the_first_and_all_measure(hosts, traffic, kind):
    assert await measured(many(hosts, traffic, kind=kind)) == [[TRIPS] * 5] * hosts


async def test_members_use_tls_where_that_is_measured():
    assert await measured(many(3, RING, tls=True)) == [[TRIPS] * 5] * 3


@pytest.mark.parametrize("kind", KINDS)
async def test_many_to_one_have_senders_on_all_hosts_but_the_first(kind):
    configuration = many(3, "", kind=kind, experiment="messaging/many-to-one", senders=5)
    assert await measured(configuration) == [[], [TRIPS] * 5, [TRIPS] * 5]


@pytest.mark.parametrize("kind", KINDS)
async def test_the_agents_of_one_host_talk_in_its_process(kind):
    configuration = many(1, ALL_TO_ALL, kind=kind, route="in-process")
    assert await measured(configuration) == [[TRIPS] * 5]


async def test_members_who_are_done_answer_those_who_are_not():
    async with asyncio.timeout(60), members(many(3, RING)) as sides:
        for work, side in sides:
            await side.measure()  # one after the other: nobody else's agents ask
            assert [len(times.rtts) for times in work.times] == [TRIPS] * 5


@pytest.mark.server
async def test_members_meet_at_a_server():
    with ManagedServer(containers=[member_name(member) for member in range(3)]) as managed:
        address = ServerAddress.load(managed.folder.path)
        server = Server(
            host=address.host,
            port=address.port,
            client_port=managed.client_port,
            secret=address.secret,
            password="",
            platform=address.platform,
            stanza_limit=address.stanza_limit,
        )
        for traffic in TRAFFICS:
            configuration = replace(many(3, traffic), route=XMPP)
            assert await measured(configuration, server) == [[TRIPS] * 5] * 3


@pytest.mark.parametrize("design", DESIGNS)
async def test_services_of_many_hosts_are_found_by_the_user_on_the_last(design):
    about = {"experiment": "directory/search", "pairs": 1, "services": 230}
    assert await measured(many(3, "", kind=design, **about)) == [[], [], [TRIPS]]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("spread", SPREADS)
async def test_services_are_found_wherever_they_are_of_two_containers(design, spread):
    about = {"experiment": "directory/search", "pairs": 1, "services": 230, "spread": spread}
    configuration = replace(many(0, "", kind=design, **about), placement=APART)
    async with asyncio.timeout(60), AsyncExitStack() as stack:
        there = await stack.enter_async_context(operations.echo(Workload(Job(configuration, "echo", 1))))
        work = Workload(Job(configuration, "ask", 2, peer=there.endpoint))
        here = await stack.enter_async_context(operations.ask(work))
        await here.measure()
        assert [len(times.rtts) for times in work.times] == [TRIPS]
        assert here.complaint() == there.complaint() == ""
