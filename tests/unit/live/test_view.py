from formicary.live.view import View
from formicary.observe.events import (
    AgentFigures,
    AgentSeen,
    DeadLetter,
    Figures,
    LeftOut,
    MessageSeen,
    MessageTaken,
)


def message(number, at=1.0):
    return MessageSeen(at, number, "a@c1.x", "b@c1.x", container="c1")


def test_only_the_latest_messages_and_dead_letters_are_kept():
    view = View(most_messages=3, most_dead=2)
    view.take([message(number) for number in range(5)])
    view.take([DeadLetter(1.0, number, "a", "b", "inform", "why", "c1") for number in range(5)])
    assert [number for _, number in view.messages] == [2, 3, 4]
    assert [letter.number for letter in view.dead] == [3, 4]
    assert view.shown == 5


def test_how_long_a_message_waited_is_added_to_it():
    view = View()
    view.take([message(1), message(2), MessageTaken(2.0, 1, "c1", 0.5), MessageTaken(2.0, 9, "c1", 0.5)])
    assert [one.waited for one in view.messages.values()] == [0.5, None]


def test_agents_come_change_move_and_end():
    view = View(most_agents=2)
    view.take([AgentSeen(1.0, name, "c1", "Ant", "active") for name in ("a", "b", "c")])
    assert list(view.agents) == ["a", "b"]
    view.take([AgentSeen(2.0, "a", "c2", "Ant", "suspended")])
    assert (view.agents["a"].container, view.agents["a"].state) == ("c2", "suspended")
    view.take([AgentSeen(3.0, "a", "c1", "Ant", "ended")])  # a late report from where it left
    assert "a" in view.agents
    view.take([AgentSeen(3.0, "a", "c2", "Ant", "ended")])
    assert list(view.agents) == ["b"]
    view.take([Figures(4.0, agents=(AgentFigures("d", "c1", "Ant", "active"),), gone=("b",))])
    assert list(view.agents) == ["d"]


def test_all_figures_as_one_event_are_what_the_view_had_taken():
    view, other = View(), View()
    view.take([Figures(1.0, agents=(AgentFigures("a", "c1", "Ant", "active"),), directory=(), groups=())])
    view.take([Figures(2.0), LeftOut(2.0, "c1", 1, 7)])
    other.take([view.figures()])
    assert other.agents == view.agents
    assert (view.left_out, view.at) == (7, 2.0)
    view.begin_again()
    assert (view.agents, view.left_out, view.at) == ({}, 0, 0.0)
