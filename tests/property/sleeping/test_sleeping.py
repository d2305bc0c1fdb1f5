"""Whatever happens: an agent receives each message once, and is either awake or asleep."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.sleeping.nights import Nights, Sleepy, SleepyMicro

from formicary.delivery.held import HeldMessages
from formicary.sleeping.waker import Waker
from formicary.testing import run_virtual

sleeps = st.sampled_from([None, None, 0.0, 0.01, 1.0, 30.0])
acts = st.lists(
    st.one_of(
        st.tuples(
            st.just("write"),
            st.sampled_from(["near", "far"]),
            st.sampled_from(["inform", "inform", "request"]),
            st.sampled_from([1, 2, 5]),
        ),
        st.tuples(st.just("sleep"), sleeps),
        st.tuples(st.just("sleep"), sleeps),
        st.tuples(st.just("wait"), st.sampled_from([0.0, 0.0, 0.001, 0.01, 0.5, 5.0, 60.0])),
        st.tuples(st.just("wait"), st.sampled_from([0.0, 0.0, 0.001, 0.01, 0.5, 5.0, 60.0])),
        st.tuples(st.just("activate")),
        st.tuples(st.just("restart")),
        st.tuples(st.just("die"), st.sampled_from(["now", "before", "after"])),
        st.tuples(st.just("start")),
        st.tuples(st.just("kill")),
    ),
    max_size=25,
)


def play(program, kind=Sleepy, mailbox_limit=1000):
    with tempfile.TemporaryDirectory() as folder:
        run_virtual(Nights(Path(folder), kind, mailbox_limit).play(program))


@settings(max_examples=max(40, settings.default.max_examples // 5))
@given(acts, st.sampled_from([Sleepy, SleepyMicro]), st.sampled_from([2, 1000]))
def test_each_message_is_taken_once_and_the_agent_is_awake_or_asleep(program, kind, mailbox_limit):
    play(program, kind, mailbox_limit)


WOKEN = [("sleep", None), ("wait", 0.5), ("write", "near", "inform", 2), ("wait", 0.5)]


async def forget(*_):
    """Remove no rows."""


@pytest.mark.parametrize(
    ("where", "name", "mistake", "why"),
    [
        (Waker, "_remove", forget, "and asleep"),
        (HeldMessages, "end", lambda _: (), "neither taken nor failed"),
    ],
)
def test_a_planted_mistake_is_found(monkeypatch, where, name, mistake, why):
    monkeypatch.setattr(where, name, mistake)
    with pytest.raises(AssertionError, match=why):
        play(WOKEN)
