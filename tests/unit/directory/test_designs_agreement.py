"""Whether all build the directory alike: who is told, who is believed, and what is said where they do not."""

from __future__ import annotations

import asyncio

import pytest

from formicary.directory.designs import CHANNEL, Agreement

pytestmark = pytest.mark.virtual_clock

C1, C2, C3 = (f"c{number}.lab.localhost" for number in (1, 2, 3))


class Transport:
    """Tells whom it can reach."""

    def __init__(self):
        self.reached = {C1, C3}
        self.controls = []

    def send_control(self, domain, channel, payload, *, behind=False):
        assert channel == CHANNEL
        if domain in self.reached:
            self.controls.append((domain, payload))
        return domain in self.reached


class Backend:
    """A part of the directory that keeps what it learns."""

    def __init__(self):
        self.refusal = None
        self.met_ = 0

    def on_listed(self):
        self.met_ += 1


class World:
    """Container c2, whose platform's container is c1."""

    def __init__(self, directory="replica"):
        self.transport, self.backend = Transport(), Backend()
        self.agreement = Agreement("c2", C1, directory, self.backend, self.transport)


@pytest.fixture
def world():
    return World()


async def test_each_member_is_told_how_the_directory_is_built_here(world):
    world.agreement.joined(C1, 7)
    world.agreement.joined(C3, 8)
    world.agreement.joined(C1, 7)  # with a new link
    assert world.transport.controls == [(C1, b"replica"), (C3, b"replica"), (C1, b"replica")]


async def test_who_cannot_be_told_now_is_told_later_once(world):
    world.transport.reached.clear()
    world.agreement.joined(C1, 7)
    await asyncio.sleep(2.5)
    assert world.transport.controls == []
    world.transport.reached.add(C1)
    await asyncio.sleep(10)
    assert world.transport.controls == [(C1, b"replica")]


@pytest.mark.parametrize("end", ["lost", "close"])
async def test_who_is_lost_or_where_all_ends_nobody_is_told_later(world, end):
    world.transport.reached.clear()
    world.agreement.joined(C1, 7)
    world.agreement.lost(C1) if end == "lost" else world.agreement.close()
    world.transport.reached.add(C1)
    await asyncio.sleep(10)
    assert world.transport.controls == []


async def test_that_the_platforms_container_agrees_means_that_this_one_is_on_its_list(world, caplog):
    world.agreement.on_control(C3, b"replica")
    assert world.backend.met_ == 0
    world.agreement.on_control(C1, b"replica")
    world.agreement.on_control(C1, b"replica")  # it may have been off the list meanwhile
    assert world.backend.met_ == 2
    assert world.backend.refusal is None
    assert caplog.text == ""


async def test_where_the_platforms_container_builds_it_otherwise_it_cannot_be_used_until_they_agree(
    world, caplog
):
    world.agreement.on_control(C1, b"central")
    assert "open c2 with directory='central'" in world.backend.refusal
    assert world.backend.met_ == 0
    assert caplog.messages == [world.backend.refusal]
    world.agreement.on_control(C1, b"replica")  # another one has taken its place
    assert world.backend.refusal is None
    assert world.backend.met_ == 1


async def test_where_another_builds_it_otherwise_that_is_said_and_it_can_be_used(world, caplog):
    world.agreement.on_control(C3, b"central")
    assert world.backend.refusal is None
    assert "open all with that of the platform's container c1" in caplog.text


async def test_it_is_said_once_for_each_difference_and_again_where_it_came_back(world, caplog):
    for said in (b"central", b"central", b"replica", b"central", b"replica"):
        world.agreement.on_control(C3, said)
    assert len(caplog.messages) == 2
    world.agreement.lost(C3)
    world.agreement.on_control(C3, b"central")
    assert len(caplog.messages) == 3


@pytest.mark.parametrize("payload", [b"", b"telepathy", b"\xff\xfe", b"x" * 10_000])
async def test_a_way_that_there_is_not_is_refused(world, payload):
    with pytest.raises(ValueError, match="uses an unknown directory design") as refused:
        world.agreement.on_control(C1, payload)
    assert len(str(refused.value)) < 300
    assert world.backend.refusal is None
