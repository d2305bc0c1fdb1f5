from hypothesis import given
from hypothesis import strategies as st

from formicary.live.view import View, lets_through
from formicary.live.web.hub import Outbox
from formicary.observe.events import AgentFigures, AgentSeen, Figures, Filters, LeftOut, MessageSeen


def message(number, **fields):
    return MessageSeen(1.0, number, "ann@c1.x", "bob@c2.x", container="c1", **fields)


def messages(parcel):
    return [event.number for event in parcel.events if isinstance(event, MessageSeen)]


def taken(outbox):
    parcel = outbox.take()
    if parcel is not None:
        outbox.taken(parcel.number)
    return parcel


def test_a_page_begins_with_what_is_known():
    view = View()
    view.take([message(1), AgentSeen(1.0, "ann@c1.x", "c1", "Ant", "active")])
    parcel = Outbox(view).take()
    assert parcel.begins_again
    assert messages(parcel) == [1]
    assert [agent.name for agent in parcel.events[-1].agents] == ["ann@c1.x"]


def test_a_page_is_told_what_was_left_out_between_the_messages_that_it_begins_with():
    view = View(most_messages=2)
    view.take([LeftOut(0.5, "c1", 1, 900), message(1), message(2), LeftOut(1.5, "c1", 2, 40)])
    outbox = Outbox(view)
    assert outbox.take().left_out == 40
    outbox.begin_again()
    assert outbox.take().left_out == 40


def test_a_page_that_does_not_answer_gets_two_parcels_and_no_more():
    outbox = Outbox(View())
    sent = []
    for number in range(1, 6):
        outbox.offer([message(number)])
        sent.append(outbox.take())
    assert [parcel and messages(parcel) for parcel in sent] == [[1], [2], None, None, None]
    outbox.taken(1)
    parcel = outbox.take()
    assert (messages(parcel), parcel.number, parcel.left_out) == ([3, 4, 5], 3, 0)
    outbox.taken(99)  # there was no such parcel
    assert outbox.take() is None


@given(st.lists(st.tuples(st.integers(0, 900), st.booleans()), max_size=20))
def test_what_waits_is_bounded_and_each_message_is_sent_or_counted(steps):
    outbox = Outbox(View())
    offered = sent = left = 0
    for count, is_answered in steps:
        outbox.offer([message(1)] * count)
        offered += count
        assert outbox.waiting <= 600
        parcel = taken(outbox) if is_answered else outbox.take()
        if parcel is not None:
            sent += len(messages(parcel))
            left += parcel.left_out
    while (parcel := taken(outbox)) is not None:
        sent += len(messages(parcel))
        left += parcel.left_out
        outbox.taken(parcel.number)
    outbox.taken(outbox._number)
    parcel = taken(outbox)
    if parcel is not None:
        sent, left = sent + len(messages(parcel)), left + parcel.left_out
    assert sent + left == offered


def test_what_was_left_out_before_is_added():
    outbox = Outbox(View())
    outbox.offer([LeftOut(1.0, "c1", 3, 40), LeftOut(1.0, "c2", 3, 2)])
    assert taken(outbox).left_out == 42
    assert taken(outbox) is None


def test_figures_that_were_not_sent_in_time_become_one():
    outbox = Outbox(View())
    outbox.take()
    one, other = (AgentFigures(name, "c1", "Ant", "active") for name in ("one", "other"))
    outbox.offer([Figures(1.0, agents=(one, other), directory=())])
    outbox.offer([Figures(2.0, gone=("one",))])
    (figures,) = outbox.take().events
    assert (figures.agents, figures.gone, figures.directory, figures.groups) == ((other,), ("one",), (), None)


def test_only_messages_that_match_are_sent():
    given = message(1, performative="cfp", protocol="p", conversation="t1", body="A Book")
    for wanted in (
        {"agent": "ANN"},
        {"agent": "bob@c2"},
        {"performative": "cfp", "protocol": "p"},
        {"text": "book"},
    ):
        assert lets_through(Filters(**wanted), given)
    for wanted in (
        {"agent": "eve"},
        {"performative": "cf"},
        {"conversation": "t"},
        {"text": "x", "agent": "ann"},
    ):
        assert not lets_through(Filters(**wanted), given)
    outbox = Outbox(View())
    outbox.filters = Filters(conversation="t1")
    outbox.offer([given, message(2), AgentSeen(1.0, "ann", "c1", "Ant", "active")])
    assert [type(event).__name__ for event in outbox.take().events] == ["MessageSeen", "AgentSeen", "Figures"]
