"""Whatever is said to a directory, it answers once with something that can be read, and goes on."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.directory.asking import ALICE, BOB, directory, load, names, register, search, service

from formicary.directory.language import decode_result
from formicary.fipa.language import PERFORMATIVES
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock

FIELDS = "action services query lease agent type name names where properties max_depth search_id max_results"
NAMES = st.sampled_from([*FIELDS.split(), "offset", "protocols", "ownership", "\x00", ""])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["register", "modify", "renew", "deregister", "search", "subscribe", ALICE, BOB, "="]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=15,
)
GOOD = [
    register(service(name="a"), lease=60),
    {"action": "modify", "services": [service(name="a")]},
    {"action": "renew", "services": [service(name="b", properties={"dpi": 600, "formats": ["pdf"]})]},
    {"action": "deregister", "agent": ALICE, "names": ["a"]},
    {"action": "search", "query": {"type": "printer", "where": [["dpi", ">=", 300]]}, "max_depth": 1},
    {"action": "subscribe", "query": {"type": "printer"}},
]


@st.composite
def spoilt(draw):
    """Draw a request of which something is replaced, removed or added."""
    request = json.loads(json.dumps(draw(st.sampled_from(GOOD))))
    for _ in range(draw(st.integers(0, 3))):
        place = request
        while True:
            keys = list(place) if isinstance(place, dict) else [*range(len(place))]
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], (dict, list)) and draw(st.booleans()):
                place = place[key]
                continue
            if isinstance(place, dict) and draw(st.booleans()):
                place[draw(NAMES)] = draw(VALUES)
            elif draw(st.booleans()):
                place[key] = draw(VALUES)
            else:
                del place[key]
            break
    return json.dumps(request)


BODIES = spoilt() | VALUES.map(json.dumps) | st.text(max_size=50) | st.binary(max_size=50)
TEXTS = st.none() | st.text(max_size=5) | st.sampled_from(["c", "json", "fipa-agent-management", ALICE])
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "content": BODIES,
            "performative": st.sampled_from(["request", "subscribe"] * 4 + ["cancel", "propose", None, ""]),
        },
        optional={
            "language": TEXTS,
            "ontology": TEXTS,
            "conversation_id": TEXTS,
            "protocol": TEXTS,
            "reply_with": TEXTS,
        },
    ),
    min_size=1,
    max_size=10,
)


@given(messages=MESSAGES, has_file=st.booleans())
async def test_every_message_is_answered_once_and_nothing_breaks(tmp_path_factory, has_file, messages):
    path = tmp_path_factory.mktemp("hostile") / "df.sqlite" if has_file else None
    log = Log()
    async with directory("alice", "bob", path=path) as (df, alice, bob):
        logging.getLogger("formicary").addHandler(log)
        try:
            for number, message in enumerate(messages):
                alice.tell(**message, thread=str(number))
                await until_idle()
                answers = [each for each in alice.messages if each.thread == str(number)]
                is_quiet = message["performative"] == "cancel" and message.get("reply_with", "") is None
                assert len(answers) == 1 or (is_quiet and not answers)
                for answer in answers:
                    check(answer)
        finally:
            logging.getLogger("formicary").removeHandler(log)
        assert log.errors == []
        found = names(await bob.ask(search()))
        assert await bob.ask(register(service(BOB, name="last"))) == [("inform", {"done": "register"})]
        subscriptions = len(df._subscriptions)
    if has_file:
        kept = [kind for kind, _ in load(path)]
        assert kept.count("service") == len(found) + 1
        assert kept.count("subscription") == subscriptions


def check(answer):
    """Make sure that an answer can be read."""
    if answer.performative == "inform":
        decode_result(answer.body)
    elif answer.performative != "agree":
        said = json.loads(answer.body)
        assert PERFORMATIVES[said["error"]] == answer.performative
        assert said["message"]
        assert said["message"].isprintable()


class Log(logging.Handler):
    """Keeps what is logged as an error: a traceback of a handler, say."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.errors = []

    def emit(self, record):
        self.errors.append(record.getMessage())
