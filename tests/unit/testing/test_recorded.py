"""A test that fails leaves a recording."""

import pytest

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary.observe.events import AgentSeen, MessageSeen
from formicary.observe.recording import Recording
from formicary.testing import MemoryNetwork, recorded, run_virtual, until_idle

pytest_plugins = ["pytester"]


class Answer(CyclicBehaviour):
    async def run(self):
        await self.reply(await self.receive(), body="here")


class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="shop@c2", body="nails?", conversation_id="sale"))
        await self.receive()


async def sell():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        shop, buyer = Agent("shop"), Agent("buyer")
        shop.add_behaviour(Answer())
        buyer.add_behaviour(Ask())
        await c2.start(shop)
        await c1.start(buyer)
        await until_idle()


def test_a_failed_test_leaves_a_recording(tmp_path):
    path = tmp_path / "shop.formicary"

    def fail():
        with recorded(path):
            run_virtual(sell())
            raise AssertionError("no nails")

    for _ in range(2):  # an earlier recording is replaced
        with pytest.raises(AssertionError) as failed:
            fail()
        assert str(path) in failed.value.__notes__[0]
        with Recording(path) as recording:
            assert [each.body for each in recording.conversation("sale", 10)] == ["nails?", "here"]
            assert [each.name for each in recording.state(recording.span[1]).containers] == ["c1", "c2"]
            events = recording.read(0, 1e12, 1000)
    states = [(each.name.partition("@")[0], each.state) for each in events if isinstance(each, AgentSeen)]
    assert states[:2] == [("shop", "active"), ("buyer", "active")]
    assert sorted(states[2:]) == [("buyer", "ended"), ("shop", "ended")]
    assert len([each for each in events if isinstance(each, MessageSeen)]) == 2


def test_a_passed_test_leaves_nothing(tmp_path):
    with recorded(tmp_path / "shop.formicary"):
        run_virtual(sell())
    assert not list(tmp_path.iterdir())


def test_with_the_plugin_each_test_that_fails_leaves_one(pytester):
    pytester.makepyfile(
        """
        import pytest
        from formicary import Container
        from formicary.testing import run_virtual

        async def open_one():
            async with Container("c1"):
                pass

        @pytest.mark.parametrize("name", ["a/b"])
        def test_it_fails(name):
            run_virtual(open_one())
            assert False

        def test_it_ends_well():
            run_virtual(open_one())

        def test_it_is_skipped():
            run_virtual(open_one())
            pytest.skip("not now")

        def test_it_fails_without_a_container():
            assert False
        """
    )
    result = pytester.runpytest("-p", "formicary.testing.pytest_plugin", "--formicary-recordings", "kept")
    result.assert_outcomes(failed=2, passed=1, skipped=1)
    (path,) = (pytester.path / "kept").iterdir()
    assert "test_it_fails" in path.name
    result.stdout.fnmatch_lines([f"what the containers did: formicary watch {path}"])
    with Recording(path) as recording:
        assert [each.name for each in recording.state(recording.span[1]).containers] == ["c1"]
