"""A mailbox returns messages by priority, and those of the same priority in order of arrival."""

from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from formicary import Message
from formicary.core.priority import PRIORITY, Lanes

_RANKS = {"urgent": 0, None: 1, "normal": 1, "high": 1, "low": 2}  # unknown priorities count as none


def _message(number, priority):
    metadata = None if priority is None else {PRIORITY: priority}
    return Message(to="bob", body=str(number), metadata=metadata)


priorities = st.sampled_from([*_RANKS])
steps = st.lists(st.one_of(priorities, st.sampled_from(["take", "take and give back"])), max_size=40)


@given(st.integers(0, 5), steps)
def test_each_priority_is_first_in_first_out(before, what):
    lanes = Lanes(deque(_message(-number, None) for number in range(before, 0, -1)))
    model = [(1, -number) for number in range(before, 0, -1)]
    for number, step in enumerate(what):
        if step in _RANKS:
            lanes.append(_message(number, step))
            model.append((_RANKS[step], number))
        elif model:
            model.sort()  # by rank, then by when it came
            message = lanes.popleft()
            assert message.body == str(model[0][1])
            if step == "take":
                del model[0]
            else:
                lanes.appendleft(message)
        assert len(lanes) == len(model)
        assert bool(lanes) is bool(model)
        assert [each.body for each in lanes] == [str(came) for _, came in sorted(model)]
