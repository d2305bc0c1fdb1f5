"""A subscription as the container that has it sees it: what the directory says, and what is made of it."""

from __future__ import annotations

import pytest

from formicary import Message
from formicary.directory.central.remote_watch import RemoteWatch
from formicary.directory.language import Result, Subscribe, decode_request, encode
from formicary.directory.model.description import Gone, ServiceDescription
from formicary.directory.model.query import Query
from formicary.errors import DirectoryError

DF = "df@c1.lab.localhost"
QUERY = Query(type="printer")


def service(name, **properties):
    return ServiceDescription("alice@c2.lab.localhost", "printer", name, properties=properties)


A, B, C = map(service, "abc")


class Agent:
    """The management agent: gives names, and keeps who is told what comes in a conversation."""

    def __init__(self):
        self.names = iter("abcdefghij")
        self.followed = {}

    def new_name(self):
        return next(self.names)

    def follow(self, conversation, notice):
        self.followed[conversation] = notice


class World:
    """A watch, what it has asked, and what it has said."""

    def __init__(self):
        self.agent = Agent()
        self.asked = []
        self.left = []  # (conversation, is_over)
        self.told = []  # (names that came, names that went)
        self.fails = False
        self.watch = RemoteWatch(self.agent, QUERY, self.notice, self.leave)

    def notice(self, services, gone):
        self.told.append(([each.name for each in services], [each.name for each in gone]))

    def leave(self, watch, conversation):
        assert watch is self.watch
        self.left.append((conversation, watch.is_over))

    async def subscribe(self, conversation, body):
        self.asked.append((conversation, body))
        if self.fails:
            raise DirectoryError("it does not want to")

    async def begin(self):
        await self.watch.begin(self.subscribe)
        return self.asked[-1][0]

    def say(self, conversation, *services, gone=(), performative="inform", **more):
        keys = tuple(Gone(each.agent, each.name) for each in gone)
        body = encode(Result("subscribe", services, keys, **more))
        self.agent.followed[conversation](Message(body=body, performative=performative))


@pytest.fixture
def world():
    return World()


async def test_it_asks_in_a_conversation_of_its_own_that_it_follows_before(world):
    conversation = await world.begin()
    ((asked_in, body),) = world.asked
    assert asked_in == conversation
    assert decode_request(body) == Subscribe(QUERY)
    assert list(world.agent.followed) == [conversation]
    assert world.left == []


async def test_it_tells_what_matches_then_what_changes(world):
    conversation = await world.begin()
    world.say(conversation, A, B, anew=True)
    world.say(conversation, C, gone=[A])
    assert world.told == [(["a", "b"], []), (["c"], ["a"])]


async def test_that_nothing_matches_at_first_is_told_too(world):
    world.say(await world.begin(), anew=True)
    assert world.told == [([], [])]


async def test_what_comes_in_several_messages_is_told_when_it_is_whole(world):
    conversation = await world.begin()
    world.say(conversation, A, anew=True, more=True)
    world.say(conversation, B, more=True)
    assert world.told == []
    world.say(conversation, C)
    assert world.told == [(["a", "b", "c"], [])]


async def test_before_the_first_answer_changes_say_nothing(world):
    conversation = await world.begin()
    world.say(conversation, C, gone=[A])
    assert world.told == []


async def test_what_is_no_notification_says_nothing(world):
    conversation = await world.begin()
    world.say(conversation, A, performative="agree", anew=True)
    assert world.told == []


async def test_a_notification_that_cannot_be_read_is_left_out_with_a_word(world, caplog):
    conversation = await world.begin()
    world.say(conversation, A, anew=True)
    world.agent.followed[conversation](Message(sender=DF, body="{", performative="inform"))
    assert f"ignoring an update from {DF}: the directory's answer cannot be read" in caplog.text
    world.say(conversation, B)
    assert world.told == [(["a"], []), (["b"], [])]


async def test_begun_again_it_leaves_the_former_conversation_and_tells_what_is_different(world):
    first = await world.begin()
    world.say(first, A, B, anew=True)
    second = await world.begin()
    assert second != first
    assert world.left == [(first, False)]
    world.say(second, B, C, anew=True)
    assert world.told[1:] == [(["c"], ["a"])]


async def test_begun_again_it_tells_nothing_where_nothing_is_different(world):
    world.say(await world.begin(), A, B, anew=True)
    world.say(await world.begin(), B, A, anew=True)
    assert len(world.told) == 1


async def test_a_service_that_is_another_now_is_told(world):
    world.say(await world.begin(), A, anew=True)
    world.say(await world.begin(), service("a", dpi=600), anew=True)
    assert world.told[1:] == [(["a"], [])]


async def test_what_was_half_told_before_it_began_again_does_not_count(world):
    world.say(await world.begin(), A, anew=True, more=True)
    second = await world.begin()
    world.say(second, B, anew=True)
    assert world.told == [(["b"], [])]


async def test_a_directory_that_refuses_is_heard_and_can_be_asked_again(world):
    world.fails = True
    with pytest.raises(DirectoryError, match="does not want to"):
        await world.begin()
    world.fails = False
    world.say(await world.begin(), A, anew=True)
    assert world.told == [(["a"], [])]


async def test_closed_it_leaves_its_conversation(world):
    conversation = await world.begin()
    await world.watch.close()
    assert world.left == [(conversation, True)]


async def test_one_that_never_began_leaves_none(world):
    await world.watch.close()
    assert world.left == [("", True)]
