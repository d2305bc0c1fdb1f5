"""What the table of crashes says, the cases that few random worlds come to, and what others may not say."""

from __future__ import annotations

import pytest

from formicary.fipa.control_codec import encode
from formicary.mobility.handover.exchange import (
    LONGEST_REASON,
    Ask,
    Decided,
    Flush,
    Hello,
    Hosting,
    Outcome,
    Prepare,
    Prepared,
    Proceed,
    Query,
    Report,
    State,
    Status,
    Step,
    decode,
)
from formicary.mobility.handover.instructions import (
    Build,
    Discard,
    Drained,
    Freed,
    Known,
    Leave,
    Missing,
    Perished,
    Placed,
    Settled,
    Stay,
    Terminate,
    Wake,
)
from formicary.mobility.handover.machine import HandOver

S, D, H, X = (f"c{number}.lab.localhost" for number in range(1, 5))
ALICE = f"alice@{H}"
NUMBER = 7


def take(machine, origin, event):
    """Have a machine take one event, however it comes."""
    machine._take(origin, event)


class Platform:
    """Containers that are told all that others say, at once, unless it is kept back."""

    def __init__(self, *domains):
        self.incarnations = dict.fromkeys(domains, 1000)
        self.machines = {}
        self.living = {domain: set() for domain in domains}
        self.done = []
        self.said = []
        self.known = []  # which homes have seen what lives where, and what did then
        for domain in domains:
            self.start(domain, 1000)

    def start(self, domain, incarnation):
        """Have a new process take a place."""
        was_there = domain in self.machines
        self.incarnations[domain] = incarnation
        self.living[domain] = set()
        self.machines[domain] = HandOver(
            domain, incarnation, self.living[domain].__contains__, self.machines.keys
        )
        for other, machine in self.machines.items():
            if other != domain:
                if was_there:
                    machine.lost(domain)
                self.meet(domain, other)

    def meet(self, one, other):
        self.machines[one].joined(other, self.incarnations[other])
        self.machines[other].joined(one, self.incarnations[one])
        self.flow()

    def part(self, one, other):
        self.machines[one].lost(other)
        self.machines[other].lost(one)
        self.flow()

    def place(self, domain, address=ALICE, number=NUMBER):
        """Have an agent live somewhere, and its home know of it."""
        self.living[domain].add(address)
        self.machines[domain]._shared.numbers[address] = number
        take(self.machines[address.partition("@")[2]], domain, Status(address, number, State.CONFIRMED))
        self.flow()
        self.done.clear()

    def flow(self):
        """Do what is to be done, and bring what is said, as far as machines are not held up."""
        while True:
            before = len(self.said) + len(self.done)
            for domain, machine in self.machines.items():
                while instructions := machine.take_instructions():
                    for instruction in instructions:
                        self.perform(domain, machine, instruction)
                for other in tuple(machine.receivers):
                    for payload in machine.take_envelopes(other):
                        self.said += [(domain, other, event) for event in decode(payload).events]
                        if other not in self.held and domain not in self.held:
                            self.machines[other].receive(domain, payload)
            if len(self.said) + len(self.done) == before:
                return

    held = ()
    made = True
    brings = False  # whether what leaves brings something along
    leaves = True  # whether what is to leave is taken apart

    def perform(self, domain, machine, instruction):
        if isinstance(instruction, Known):
            self.known.append((instruction.home, domain, set(self.living[domain])))
            return
        if isinstance(instruction, Drained):
            machine.source.drained(instruction.departure)
            return
        self.done.append((domain, instruction))
        match instruction:
            case Build(arrival):
                if self.made is True:
                    machine.destination.built(arrival, "alice")
                elif self.made:
                    machine.destination.refuse(arrival, self.made)
                else:
                    self.to_build = arrival
            case Leave(departure) if self.leaves:
                self.living[domain].discard(departure.address)
                machine.source.left(departure, brings=self.brings)
            case Wake(arrival):
                assert arrival.guest == "alice"
                self.living[domain].add(arrival.address)
                machine.destination.started(arrival, Report(end="done"))
            case Terminate(address):
                self.living[domain].discard(address)
                machine.ended(address)

    def build(self, domain):
        """Have a container create what it did not when it was asked to; return whether it is kept."""
        return self.machines[domain].destination.built(self.to_build, "alice")

    def departure(self, domain):
        return self.machines[domain].source.departures.get(ALICE)

    def kill(self, domain):
        return self.machines[domain].source.kill(self.departure(domain))

    def kinds(self, domain):
        return [type(each) for where, each in self.done if where == domain]

    def move(self, source, place, unsettled=()):
        assert self.machines[source].source.obstacle(ALICE, place) is None
        self.machines[source].begin(ALICE, place, b"alice", unsettled)
        self.flow()


@pytest.fixture
def platform():
    platform = Platform(S, D, H)
    platform.place(S)
    return platform


def test_an_agent_moves_between_three_containers(platform):
    platform.said.clear()
    platform.move(S, D)
    assert platform.living[D] == {ALICE}
    assert [type(event).__name__ for *_, event in platform.said] == [
        "Prepare", "Prepared", "Ask", "Decided", "Proceed", "Status", "Status",
    ]  # fmt: skip
    assert platform.kinds(S) == [Leave, Settled]
    assert platform.machines[H].ledger.place_of(ALICE) == D


@pytest.mark.parametrize(("source", "place", "events"), [(H, D, 4), (S, H, 4)])
def test_one_that_is_the_home_as_well_saves_messages(source, place, events):
    platform = Platform(S, D, H)
    platform.living[H].add(ALICE)
    if source == S:
        platform.move(H, S)
    platform.said.clear()
    platform.move(source, place)
    assert platform.living[place] == {ALICE}
    assert len(platform.said) == events


@pytest.mark.parametrize(("source", "place"), [(S, D), (S, H), (H, D)])
@pytest.mark.parametrize("is_lost", [False, True])
def test_nobody_decides_before_all_has_arrived_that_was_sent_before(source, place, is_lost):
    platform = Platform(S, D, H, X)
    if source == H:
        platform.living[H].add(ALICE)
    else:
        platform.place(S)
    platform.said.clear()
    platform.held = (X,)
    platform.move(source, place, [X])
    departure = platform.departure(source)
    assert departure.place == place
    what = platform.machines[source].source.what_blocks(departure)
    assert what == "messages that it sent earlier to arrive"
    assert not {Ask, Decided} & {type(event) for *_, event in platform.said}
    if is_lost:
        platform.part(source, place)
        assert platform.kinds(source) == [Stay]
    else:
        take(platform.machines[source], X, Flush(1, is_answer=True))
        platform.flow()
        assert platform.living[place] == {ALICE}
        assert {Leave, Settled} <= set(platform.kinds(source))


def test_the_home_has_to_be_there_still_when_all_has_arrived():
    platform = Platform(S, D, H, X)
    platform.place(S)
    platform.held = (X,)
    platform.move(S, D, [X])
    platform.machines[S].lost(H)
    take(platform.machines[S], X, Flush(1, is_answer=True))
    platform.flow()
    assert platform.kinds(S) == [Stay]
    assert platform.kinds(D) == [Build, Discard]


@pytest.mark.parametrize("place_is_home", [False, True])
def test_what_is_on_its_way_to_a_container_that_stops_stays(place_is_home):
    platform = Platform(S, D, H)
    platform.place(S)
    place = H if place_is_home else D
    platform.held = (H,)
    platform.move(S, place)
    platform.held = ()
    platform.machines[place].destination.drop_all()
    platform.flow()
    platform.part(S, H)
    platform.meet(S, H)
    assert platform.living[S] == {ALICE}
    assert platform.kinds(S) == [Stay]
    assert platform.machines[H].ledger.place_of(ALICE) == S


def test_what_was_decided_is_taken_back_where_the_destination_stops_and_the_home_has_freed_its_name(platform):
    platform.leaves = False
    platform.move(S, D)
    assert platform.machines[H].ledger.place_of(ALICE) == D
    platform.machines[H].lost(D)
    platform.machines[H].joined(D, 2000)
    assert platform.machines[H].ledger.place_of(ALICE) is None
    platform.machines[D].destination.drop_all()
    platform.flow()
    assert Terminate not in platform.kinds(S)
    assert platform.machines[H].ledger.place_of(ALICE) == S
    assert platform.machines[S]._shared.numbers[ALICE] == NUMBER + 2


def test_who_asks_about_a_later_hand_over_has_taken_an_earlier_one_back(platform):
    platform.leaves = False
    platform.move(S, D)
    platform.held = (H,)  # so that it does not hear that it was taken back
    platform.machines[D].destination.drop_all()
    platform.flow()
    platform.held = ()
    platform.leaves = True
    platform.machines[D].lost(S)
    platform.meet(S, D)
    platform.move(S, D)
    assert platform.living[D] == {ALICE}
    assert platform.machines[H].ledger.place_of(ALICE) == D


def test_what_was_killed_in_doubt_and_is_refused_is_gone(platform):
    platform.held = (H,)
    platform.move(S, D)
    assert platform.kill(S)
    platform.living[S].discard(ALICE)
    platform.machines[D].destination.drop_all()
    platform.flow()
    platform.held = ()
    platform.part(S, H)
    platform.meet(S, H)
    assert platform.living[S] == set()
    assert platform.departure(S) is None
    assert platform.machines[H].ledger.place_of(ALICE) is None


def test_who_was_taken_for_lost_for_a_moment_hears_again_that_all_was_brought(platform):
    platform.brings = True
    platform.move(S, D)
    assert platform.living[D] == set()
    platform.machines[D].lost(S)
    platform.machines[S].source.brought(platform.departure(S))
    platform.flow()
    assert Wake not in platform.kinds(D)
    platform.machines[D].joined(S, 1000)
    platform.flow()
    assert platform.living[D] == {ALICE}
    assert Settled in platform.kinds(S)


def test_what_is_being_made_ready_where_its_source_is_taken_for_lost_is_made_ready_again(platform):
    platform.made = False
    platform.move(S, D)
    platform.machines[D].lost(S)
    platform.flow()
    platform.made = True
    platform.machines[D].joined(S, 1000)
    platform.flow()
    assert platform.living[D] == {ALICE}


def test_who_is_not_there_to_witness_or_to_come_to_is_said_before(platform):
    source = platform.machines[S].source
    platform.part(S, H)
    assert "its home c3 is not reachable to witness" in source.obstacle(ALICE, D)
    assert "container c9 is not reachable" in source.obstacle(ALICE, "c9.lab.localhost")
    platform.made = None
    platform.meet(S, H)
    platform.move(S, D)
    assert "already on its way to c2" in source.obstacle(ALICE, H)


def test_what_the_destination_refuses_stays(platform):
    platform.made = "no such class"
    platform.move(S, D)
    assert platform.kinds(S) == [Stay]
    assert platform.done[-1][1].reason == "no such class"


def test_a_refusal_with_a_long_reason_arrives(platform):
    platform.made = "x" * (LONGEST_REASON + 1)
    platform.move(S, D)
    assert platform.kinds(S) == [Stay]
    assert platform.done[-1][1].reason == "x" * LONGEST_REASON


@pytest.mark.parametrize("loser", [D, H])
def test_before_anybody_was_asked_it_stays_where_others_are_lost(platform, loser):
    platform.made = None
    platform.move(S, D)
    platform.part(S, loser)
    platform.build(D)
    platform.flow()
    assert platform.kinds(S) == [Stay]


def test_in_doubt_it_waits_for_its_home(platform):
    platform.held = (H,)
    platform.move(S, D)
    platform.part(S, H)
    what = platform.machines[S].source.what_blocks(platform.departure(S))
    assert what == "its home c3, which is away and has to decide"
    assert platform.kinds(S) == []
    platform.held = ()
    platform.meet(S, H)
    assert platform.kinds(S) == [Leave, Settled]


def test_the_home_refuses_for_a_destination_that_has_lost_the_source(platform):
    platform.made = None
    platform.move(S, D)
    platform.build(D)
    platform.held = (S,)
    platform.part(S, D)
    platform.held = ()
    assert platform.kinds(D) == [Build, Discard]
    platform.meet(S, D)
    assert Stay in platform.kinds(S)
    assert Leave not in platform.kinds(S)


def test_a_home_that_was_restarted_finds_out(platform):
    platform.held = (H,)
    platform.move(S, D)
    platform.held = ()
    platform.start(H, 2000)
    assert platform.kinds(S) == [Leave, Settled]
    assert platform.machines[H].ledger.place_of(ALICE) == D


def test_a_home_that_was_restarted_keeps_to_what_was_decided_before(platform):
    platform.held = (S,)
    platform.machines[S].begin(ALICE, D, b"alice")
    platform.flow()
    ask = Ask(ALICE, NUMBER + 1, S, 1000, D, 1000, 1000, is_ready=True)
    take(platform.machines[D], S, Prepare(ALICE, NUMBER + 1, 1000, b"alice"))
    platform.flow()
    take(platform.machines[S], D, Prepared(ALICE, NUMBER + 1))
    take(platform.machines[H], S, ask)  # its answer does not come to S
    platform.machines[D].lost(S)
    platform.flow()
    assert ALICE in platform.living[D]  # as its home has said
    platform.held = ()
    platform.start(H, 2000)
    platform.meet(S, D)
    assert Stay not in platform.kinds(S)
    assert Leave in platform.kinds(S)
    assert platform.machines[H].ledger.place_of(ALICE) == D


def test_a_home_hears_of_what_is_started_by_the_word_of_the_process_before_it(platform):
    platform.made = None
    platform.move(S, D)
    platform.build(D)
    platform.held = (S, H)
    platform.flow()
    platform.machines[D].lost(S)
    platform.start(H, 2000)
    platform.held = (S,)
    take(platform.machines[D], H, Decided(ALICE, NUMBER + 1, Outcome.MOVES))  # which was on its way
    platform.flow()
    assert platform.living[D] == {ALICE}
    assert (D, H, Status(ALICE, NUMBER + 1, State.STARTED)) in platform.said
    assert platform.machines[H].ledger.place_of(ALICE) == D


@pytest.mark.parametrize("origin", [D, "c9.lab.localhost"])
def test_that_something_was_started_counts_only_where_it_is_new_and_of_a_member(platform, origin):
    old = NUMBER - 1 if origin == D else NUMBER + 1
    platform.machines[H].receive(origin, encode([1000, 1000, [Status(ALICE, old, State.STARTED)]]))
    platform.flow()
    assert platform.machines[H].ledger.place_of(ALICE) == S
    assert not any(getattr(event, "outcome", None) is Outcome.ENDS for *_, event in platform.said)


def test_another_of_its_name_lives_when_a_home_hears_that_it_was_started(platform):
    platform.held = (S,)
    platform.start(H, 2000)
    platform.held = ()
    platform.living[H].add(ALICE)
    take(platform.machines[H], S, Status(ALICE, NUMBER, State.STARTED))
    platform.flow()
    assert (H, S, Decided(ALICE, NUMBER, Outcome.ENDS)) in platform.said
    assert platform.living[S] == set()


def test_a_home_that_was_restarted_asks_a_source_that_has_nothing_any_more(platform):
    ask = Ask(ALICE, NUMBER + 1, S, 1000, D, 1000, 999, is_ready=False)
    platform.living[S].clear()
    platform.machines[S].ended(ALICE)
    platform.flow()
    take(platform.machines[H], D, ask)
    platform.flow()
    assert (H, S, Hello()) in platform.said
    assert (H, D, Decided(ALICE, NUMBER + 1, Outcome.STAYS)) in platform.said
    assert not platform.machines[H].ledger.has_to_do_with(D)


def test_an_agent_dies_with_the_destination_once_it_was_decided(platform):
    platform.held = (D,)
    platform.machines[S].begin(ALICE, D, b"alice")
    take(platform.machines[S], D, Prepared(ALICE, NUMBER + 1))
    platform.flow()
    assert platform.kinds(S) == [Leave]
    platform.held = ()
    platform.start(D, 2000)
    assert Perished in platform.kinds(S)
    assert platform.machines[H].ledger.place_of(ALICE) is None


def test_what_the_home_has_decided_for_itself_is_taken_back_where_the_destination_is_lost(platform):
    home = platform.machines[H]
    platform.machines[S].ended(ALICE)
    platform.living[S].clear()
    platform.living[H].add(ALICE)
    platform.flow()
    platform.leaves = False
    platform.move(H, D)
    platform.part(H, D)
    assert platform.kinds(H)[-2:] == [Leave, Stay]
    assert home.ledger.place_of(ALICE) == H
    platform.meet(H, D)
    assert platform.kinds(D) == [Build, Discard]
    platform.leaves = True
    platform.move(H, D)
    assert platform.living[D] == {ALICE}
    assert home.ledger.place_of(ALICE) == D


def test_what_is_in_doubt_ends_where_another_has_its_name_by_now(platform):
    platform.held = (H,)
    platform.move(S, D)
    platform.held = ()
    del platform.machines[D]  # for good
    platform.machines[S].lost(D)
    platform.start(H, 2000)
    assert platform.kinds(S) == []
    platform.living[H].add(ALICE)
    platform.meet(H, S)
    assert platform.kinds(S)[:2] == [Stay, Terminate]
    assert platform.living[S] == set()


def test_one_that_has_ended_where_it_was_does_not_begin_at_home(platform):
    platform.made = None
    platform.move(S, H)
    platform.kill(S)
    platform.living[S].clear()
    platform.machines[S].ended(ALICE)
    platform.flow()
    assert not platform.build(H)
    assert Wake not in platform.kinds(H)
    assert platform.machines[H].ledger.place_of(ALICE) is None


def test_what_is_killed_on_its_way_is_killed_there(platform):
    platform.held = (H,)
    platform.move(S, D)
    assert platform.kill(S)
    platform.held = ()
    platform.machines[S].joined(H, 1000)
    platform.flow()
    assert any(isinstance(event, Proceed) and event.step is Step.KILL for *_, event in platform.said)
    assert platform.living[D] == set()
    assert platform.machines[H].ledger.place_of(ALICE) is None


def test_what_is_killed_in_doubt_and_does_not_move_is_gone(platform):
    platform.held = (H,)
    platform.move(S, H)
    assert platform.kill(S)
    platform.living[S].discard(ALICE)
    platform.held = ()
    platform.machines[S].joined(H, 1000)
    platform.flow()
    assert (H, S, Decided(ALICE, NUMBER + 1, Outcome.STAYS)) in platform.said
    assert (H, Freed(ALICE)) in platform.done
    assert platform.machines[H].ledger.place_of(ALICE) is None


def test_an_agent_of_a_lost_container_is_missing_and_found_again(platform):
    platform.part(S, H)
    assert platform.done == [(H, Missing(ALICE))]
    platform.meet(S, H)
    assert platform.done[-1] == (H, Placed(ALICE, S))
    platform.start(S, 2000)
    assert (H, Freed(ALICE)) in platform.done


def test_who_comes_back_to_another_of_its_name_ends(platform):
    platform.part(S, H)
    platform.living[H].add(ALICE)
    platform.known.clear()
    platform.meet(S, H)
    assert platform.living[S] == set()
    assert platform.living[H] == {ALICE}
    assert (H, S, set()) in platform.known
    assert (H, S, {ALICE}) not in platform.known  # so what S knows from then on is of the one in H


def test_a_home_that_has_seen_what_lives_elsewhere_says_so_of_those_that_go_on(platform):
    platform.part(S, H)
    platform.known.clear()
    platform.meet(S, H)
    assert (H, S, {ALICE}) in platform.known


def test_what_a_home_has_decided_is_later_than_what_was_said_before(platform):
    claims = Hosting([], [], [], [])  # of D, on its way
    platform.move(S, D)
    take(platform.machines[H], D, claims)
    platform.flow()
    assert (D, Query(ALICE, NUMBER + 1)) in [(to, event) for _, to, event in platform.said]
    assert platform.machines[H].ledger.place_of(ALICE) == D


def test_a_second_agent_of_a_name_has_higher_numbers():
    platform = Platform(S, H)
    numbers = []
    for _ in range(2):
        platform.living[H].add(ALICE)
        platform.move(H, S)
        numbers.append(platform.machines[S]._shared.numbers[ALICE])
        platform.living[S].discard(ALICE)
        platform.machines[S].ended(ALICE)
        platform.flow()
    assert numbers[0] < numbers[1]


@pytest.mark.parametrize(
    ("origin", "event", "why"),
    [
        (D, Ask(ALICE, 1, S, 1, "c9.lab.localhost", 1, 1, is_ready=False), "asks about a move from"),
        (D, Ask(ALICE, 1, S, 1, D, 1, 1, is_ready=True), "wants an agent moved that is at"),
        (S, Status(f"alice@{S}", 1, State.GONE), "is not the home"),
        (S, Hosting([(f"alice@{D}", 1)], [], [], []), "is not the home"),
        (S, Hosting([], [], [], [(f"alice@{D}", 1, D, 1)]), "is not the home"),
        (D, Query(f"alice@{S}", 1), "is not the home of"),
        (D, Decided(ALICE, 1, Outcome.ENDS), "is not the home of"),
        (D, Decided(f"alice@{S}", 1, Outcome.MOVES), "is not the home of"),
        (S, Status(f"alice@{S}", 1, State.STARTED), "is not the home"),
    ],
)
def test_nobody_speaks_for_others(platform, origin, event, why):
    with pytest.raises(ValueError, match=why):
        platform.machines[H].receive(origin, encode([1000, 1000, [event]]))


@pytest.mark.parametrize(
    "payload", [b"", b"\x93\x01\x02\x03", encode([1, 2, [[99]]]), encode([1, 2, [[8, 3]]])]
)
def test_what_is_no_envelope_is_refused(platform, payload):
    with pytest.raises(ValueError, match="not events of agents that move"):
        platform.machines[H].receive(S, payload)


def test_what_is_for_another_process_is_dropped(platform):
    envelope = encode([1000, 999, [Decided(ALICE, 1, Outcome.MOVES)]])
    platform.machines[S].receive(H, envelope)
    assert platform.machines[S].take_instructions() == []


def test_a_start_of_what_is_not_there_was_done_before(platform):
    take(platform.machines[D], S, Proceed(ALICE, NUMBER, Step.START))
    platform.flow()
    assert (D, S, Status(ALICE, NUMBER, State.CONFIRMED)) in platform.said
    assert (D, H, Status(ALICE, NUMBER, State.GONE)) in platform.said


def test_who_was_not_known_where_it_asked_whether_all_has_arrived_asks_again():
    machine = HandOver(S, 1000, [f"alice@{S}"].__contains__, list)
    machine.joined(D, 1000)
    machine.joined(H, 1000)
    departure = machine.begin(f"alice@{S}", D, b"alice", [H])
    for domain in (D, H):
        machine.take_envelopes(domain)
    machine.source.draining.say_again(D)
    assert not machine.receivers
    machine.source.draining.say_again(H)
    assert decode(machine.take_envelopes(H)[0]).events == [Flush(1)]
    for _ in range(2):  # both are answered
        take(machine, H, Flush(1, is_answer=True))
    assert machine.take_instructions() == [Drained(departure)]
