"""Containers that keep an identity file, in one process: orderly ends, and what cannot be."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import msgspec
import pytest
from tests.integration.transport.raw import until
from tests.integration.transport.restart.conftest import Office, alike, asked
from tests.unit.core.agents import Echo, start

from formicary import Container, Network
from formicary.errors import FormicaryError, LinkError, UsageError
from formicary.server import AccountAddress
from formicary.transport.addresses import JoinAddress


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c1.identity"


def hub(path, listen="127.0.0.1", **network):
    return Container("c1", listen=listen, network=Network(identity=path, **network))


async def refusal(kind, container):
    """Open a container, which fails; return the sentence."""
    before = asyncio.all_tasks()
    with pytest.raises(kind) as caught:
        async with container:
            pytest.fail("it opened")
    assert asyncio.all_tasks() == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("tls", [True, False, "always"])
async def test_members_come_back_after_an_orderly_end_too(path, members, tls):
    async with hub(path, tls=tls) as c1:
        address = c1.join_address
    content = path.read_bytes()
    async with hub(path, tls=tls) as c1, members(address, "c2", network=Network(tls=tls)) as (c2,):
        assert c1.join_address == address
        await c1.__aexit__(None, None, None)
        await until(lambda: list(c2.members) == ["c2.lab.localhost"])
        async with hub(path, tls=tls) as again:
            await start(again, "echo", Echo())
            await again.start(Office("office"))
            await until(lambda: len(c2.members) == len(again.members) == 2)
            assert (await asked(c2, "echo@c1")).body == "x"
            assert (await asked(again, "echo@c2")).body == "x"
            await alike(c2, again)
    assert path.read_bytes() == content


async def test_a_stranger_with_an_old_address_is_refused(path):
    async with hub(path) as c1:
        old = JoinAddress.parse(c1.join_address)
    path.unlink()
    ((ip, port),) = old.tcp
    async with hub(path, listen=f"{ip}:{port}") as c1:
        new = JoinAddress.parse(c1.join_address)
        assert new.key != old.key
        container = Container("c2", join=str(old))
        assert "a different certificate than that of" in await refusal(LinkError, container)
        forged = msgspec.structs.replace(new, key=old.key)
        says = await refusal(LinkError, Container("c2", join=str(forged)))
        assert says.startswith("what answers there did not prove to be c1.lab.localhost")
        assert c1.links == ()


async def test_only_one_container_at_a_time_has_it(path):
    async with hub(path) as c1:
        for again in (hub(path), hub(path, listen="127.0.0.2")):
            says = await refusal(UsageError, again)
            assert says.startswith(f"the identity file {path} is in use; ")
        async with Container("c2", join=c1.join_address) as c2:
            await until(lambda: len(c2.members) == 2)


async def test_a_copy_of_it_takes_nothing_from_who_runs(path, tmp_path):
    async with hub(path) as c1:
        copy = tmp_path / "copy"
        copy.write_bytes(path.read_bytes())
        copy.chmod(0o600)
        async with hub(copy) as other:
            ours, theirs = (JoinAddress.parse(each.join_address) for each in (c1, other))
            assert ours.unix != theirs.unix
            assert ours.tcp != theirs.tcp
        async with Container("c2", join=c1.join_address) as c2:
            await until(lambda: len(c1.members) == len(c2.members) == 2)


async def test_what_does_not_open_leaves_none(path, tmp_path):
    async with hub(tmp_path / "other") as c1:
        ((ip, port),) = JoinAddress.parse(c1.join_address).tcp
        await refusal(LinkError, hub(path, listen=f"{ip}:{port}"))
        await refusal(
            LinkError, Container("c1", listen=ip, network=Network(identity=path), join=c1.join_address)
        )
        await refusal(UsageError, hub(path, listen="nowhere.invalid"))
    assert not path.exists()


@pytest.mark.parametrize(
    "options", [{}, {"listen": "127.0.0.1", "server": AccountAddress("lab@example.org", "")}]
)
def test_who_cannot_be_joined_has_none(path, options):
    with pytest.raises(UsageError, match="only a container that others can join has an identity file"):
        Container("c1", network=Network(identity=path), **options)


async def test_where_it_uses_tls_otherwise_members_cannot_find_it(path, caplog):
    async with hub(path) as c1:
        before = JoinAddress.parse(c1.join_address)
    async with hub(path, tls="always") as c1:
        after = JoinAddress.parse(c1.join_address)
        assert after == msgspec.structs.replace(before, tls="always")
    (said,) = caplog.messages
    assert said == (
        "c1.lab.localhost changed its TLS setting: containers that had joined it cannot find it "
        "again and need its new join address"
    )


async def test_a_folder_that_others_may_write_to_is_not_used_again(path):
    async with hub(path) as c1:
        before = JoinAddress.parse(c1.join_address)
    folder = Path(before.unix).parent
    folder.mkdir(mode=0o755)
    folder.chmod(0o777)
    try:
        async with hub(path) as c1:
            after = JoinAddress.parse(c1.join_address)
            assert after.unix != before.unix
            assert after.tcp == before.tcp
            async with Container("c2", join=str(before)) as c2:  # by TCP
                await until(lambda: len(c2.members) == 2)
    finally:
        folder.rmdir()


@pytest.mark.parametrize("place", ["file", "elsewhere"])
async def test_nothing_of_the_users_is_removed_for_a_socket(path, tmp_path, place):
    async with hub(path):
        pass
    mine = tmp_path / ("formicary-mine" if place == "file" else "mine")
    mine.mkdir(mode=0o700)
    (mine / "direct").write_text("mine")
    (mine / "other").write_text("mine")
    record = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({**record, "unix": os.fspath(mine / "direct")}))
    async with hub(path) as c1:
        assert JoinAddress.parse(c1.join_address).unix != os.fspath(mine / "direct")
    assert sorted(each.name for each in mine.iterdir()) == ["direct", "other"]


async def test_a_broken_file_stays_as_it_is(path):
    path.write_bytes(b"{}")
    path.chmod(0o600)
    assert "is not the identity of a container" in await refusal(FormicaryError, hub(path))
    assert path.read_bytes() == b"{}"
