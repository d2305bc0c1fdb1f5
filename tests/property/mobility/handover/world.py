"""Containers between which agents move, links that break, processes that restart, and a judge.

An agent here is its history: a life, and its length, to which whoever runs it adds. The judge knows where
each life runs, its length, and which containers were involved.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict, deque
from dataclasses import dataclass, field

from formicary.mobility.handover.exchange import Decided, Outcome, decode
from formicary.mobility.handover.instructions import Expect, Known
from formicary.mobility.handover.machine import HandOver


@dataclass
class Life:
    """One agent, from its start to its end; the judge's."""

    address: str
    number: int
    age: int = 0
    runs_at: tuple | None = None  # domain, incarnation
    last_at: tuple | None = None
    is_over: bool = False  # ended, or killed, by somebody who may
    is_forfeit: bool = False  # it may be over: what could go on with it has died, or its name was taken
    may_fall_back: bool = False  # who decided has died: dies where it runs, too, an older state may be left


@dataclass
class Copy:
    """A container's copy of an agent."""

    life: int
    age: int
    runs: bool = True
    is_killed: bool = False


@dataclass
class Process:
    """One container."""

    domain: str
    incarnation: int
    machine: HandOver | None = None
    agents: dict = field(default_factory=dict)  # by address
    left: dict = field(default_factory=dict)  # the copies of those that have left
    to_start: list = field(default_factory=list)
    to_bring: list = field(default_factory=list)
    to_build: list = field(default_factory=list)
    to_leave: list = field(default_factory=list)
    members: dict = field(default_factory=dict)
    held: set = field(default_factory=set)  # agents of this home of which messages are held: they move


class World:
    """The whole world."""

    def __init__(self, count, machine=HandOver):
        self.kind = machine
        self.domains = [f"c{number}.lab.localhost" for number in range(count)]
        self.starts = itertools.count(1)
        self.processes = {}
        self.ups = set()  # pairs of domains, sorted, that have a session
        self.cut = set()  # pairs that can have none
        self.brings = False  # whether some agents bring messages along
        self.misjudged = set()  # (domain, other): who takes the other one for lost, though their link is fine
        self.flight = defaultdict(deque)  # (method, *arguments), by (from, to)
        self.lives = []
        self.decisions = {}
        self.steps = 0
        self.moved = 0
        for domain in self.domains:
            self.start(domain)

    # -- processes ------------------------------------------------------------------------------------------

    def start(self, domain):
        """Start a container, replacing the present one."""
        self.end(domain)
        process = Process(domain, (1000 + next(self.starts)) * 1_000_000)

        def lives_here(address):
            return address in process.agents

        process.machine = self.kind(domain, process.incarnation, lives_here, process.members.keys)
        self.processes[domain] = process
        for other in self.processes:
            self.connect(domain, other)

    def end(self, domain):
        """End a process at once."""
        process = self.processes.pop(domain, None)
        if process is None:
            return
        for life in self.lives:
            if life.runs_at == (domain, process.incarnation):
                life.runs_at, life.is_forfeit = None, True
            if life.last_at == (domain, process.incarnation):
                life.is_forfeit = True
            if life.address.endswith(f"@{domain}"):
                life.may_fall_back = True
        for pair in list(self.ups):
            if domain in pair:
                self.break_link(pair)
        for pair in list(self.flight):
            if pair[1] == domain:
                self.flight[pair].clear()

    def close(self, domain):
        """End a process in order: others hear everything that it says."""
        process = self.processes.get(domain)
        if process is None:
            return
        process.machine.destination.drop_all()
        self.settle(process)
        for other in self.domains:
            while self.flight[domain, other]:
                self.deliver(domain, other)
        self.end(domain)

    def break_link(self, pair):
        """End a session: what is in transit is lost, and both ends learn of it later."""
        self.ups.discard(pair)
        self.misjudged -= {pair, pair[::-1]}
        for one, other in (pair, pair[::-1]):
            if (process := self.processes.get(one)) is not None:
                process.machine.destination.link_ended(other)
            events = self.flight[one, other]
            kept = [it for it in events if it[0] != "receive"]
            events.clear()
            events.extend(kept)

    def lose(self, domain, other):
        """Tell a container that another is gone."""
        self.flight[other, domain].append(("lost", other))

    def misjudge(self, domain, other):
        """Tell a container that another is gone that it can reach."""
        if tuple(sorted((domain, other))) in self.ups and (domain, other) not in self.misjudged:
            self.misjudged.add((domain, other))
            self.lose(domain, other)

    def judge_anew(self, domain, other):
        """Tell a container that another is there after all."""
        if (domain, other) in self.misjudged:
            self.misjudged.discard((domain, other))
            self.flight[other, domain].append(("joined", other, self.processes[other].incarnation))

    def connect(self, one, other):
        """Begin a session between two."""
        pair = tuple(sorted((one, other)))
        if one == other or pair in self.ups or pair in self.cut or not {one, other} <= set(self.processes):
            return
        self.ups.add(pair)
        for sender, receiver in (pair, pair[::-1]):
            self.flight[sender, receiver].append(("joined", sender, self.processes[sender].incarnation))

    # -- what is on its way ---------------------------------------------------------------------------------

    def deliver(self, sender, receiver):
        """Deliver one event to a container."""
        flight, process = self.flight[sender, receiver], self.processes.get(receiver)
        if process is None:
            flight.clear()
        if not flight:
            return False
        method, *arguments = flight.popleft()
        machine = process.machine
        if method == "joined":
            domain, incarnation = arguments
            if process.members.get(domain, incarnation) != incarnation:
                machine.lost(domain)
            process.members[domain] = incarnation
            machine.joined(domain, incarnation)
        elif method == "lost":
            if process.members.pop(arguments[0], None) is not None:
                machine.lost(*arguments)
        else:
            machine.receive(*arguments)
        self.settle(process)
        return True

    def settle(self, process):
        """Carry out a machine's instructions, and send its messages."""
        while instructions := process.machine.take_instructions():
            for instruction in instructions:
                self.perform(process, instruction)
        for domain in tuple(process.machine.receivers):
            self.send(process, domain)

    def send(self, process, domain):
        pair = tuple(sorted((process.domain, domain)))
        for payload in process.machine.take_envelopes(domain):
            for event in decode(payload).events:
                if isinstance(event, Decided) and self.waits_for(domain, event):
                    self.note_decision(process, event)
            if pair in self.ups:
                self.flight[process.domain, domain].append(("receive", process.domain, payload))

    def waits_for(self, domain, event):
        """Return whether a decision matters to its receiver: a question may come late, and be answered."""
        process = self.processes.get(domain)
        parts = (process.machine.source.departures, process.machine.destination.arrivals) if process else ()
        is_one = event.outcome is not Outcome.ENDS
        return is_one and any(
            event.address in part and part[event.address].number == event.number for part in parts
        )

    def note_decision(self, process, event):
        lives = [life for life in self.lives if life.address == event.address]
        if len(lives) > 1:
            return  # who has lost its name to another is not to be decided about any more, only to end
        key = (process.domain, process.incarnation, event.address, event.number)
        moves = event.outcome is Outcome.MOVES
        if moves and key not in self.decisions:
            lives[0].may_fall_back = False  # until who has decided it dies
        assert self.decisions.setdefault(key, moves) == moves, f"a decision was undone: {event}"

    def perform(self, process, instruction):
        perform = getattr(self, f"_{type(instruction).__name__.lower()}", None)
        if perform is not None:
            perform(process, instruction)
        else:
            assert isinstance(instruction, Expect | Known)

    def _drained(self, process, drained):
        process.machine.source.drained(drained.departure)

    def _moving(self, process, moving):
        assert moving.address not in process.agents
        process.held.add(moving.address)

    def _placed(self, process, placed):
        process.held.discard(placed.address)

    _missing = _freed = _placed

    def _build(self, process, build):
        process.to_build.append(build.arrival)

    def _wake(self, process, wake):
        assert wake.arrival.guest
        process.to_start.append(wake.arrival)

    def _discard(self, process, discard):
        assert discard.arrival.guest
        process.to_start = [each for each in process.to_start if each is not discard.arrival]

    def _stay(self, process, stay):
        copy = process.agents[stay.departure.address]
        assert not copy.runs
        copy.runs = True
        self.run(process, stay.departure.address)

    def _leave(self, process, leave):
        process.to_leave.append(leave.departure)

    def _perished(self, process, perished):
        self.perish(process, perished.departure.address)

    def _terminate(self, process, terminate):
        self.terminate(process, terminate.address)

    def _settled(self, _process, _settled):
        self.moved += 1

    # -- agents ---------------------------------------------------------------------------------------------

    def create(self, domain, name):
        """Start a new agent, if its name is free as far as its home knows."""
        process = self.processes.get(domain)
        address = f"{name}@{domain}"
        machine = process and process.machine
        if not process or address in process.agents or address in machine.destination.arrivals:
            return
        if machine.source.departures.get(address) or machine.ledger.place_of(address) not in {None, domain}:
            return
        for life in self.lives:
            if life.address == address:
                life.is_forfeit = True  # if it lives, it has lost its name
        self.lives.append(Life(address, len(self.lives)))
        process.agents[address] = Copy(len(self.lives) - 1, 0)
        self.run(process, address)

    def run(self, process, address):
        """Extend an agent's life where it is."""
        copy = process.agents[address]
        if not copy.runs:
            return
        life, here = self.lives[copy.life], (process.domain, process.incarnation)
        assert life.runs_at in {None, here}, f"{address} runs at {life.runs_at} and at {here}"
        has_fallen_back = self.has_fallen_back(life)
        assert not life.is_over or has_fallen_back, f"{address} runs at {here} and has ended"
        assert copy.age == life.age or has_fallen_back, f"{address} at {here} is of old"
        life.is_over = False  # its end is forgotten as all is that it has lived through there
        life.runs_at = life.last_at = here
        life.age = copy.age = max(life.age, copy.age) + 1

    def has_fallen_back(self, life):
        """Return whether an agent's last container, and its home of then, have both ended."""
        domain, incarnation = life.last_at or (None, None)
        process = self.processes.get(domain)
        is_dead = process is None or process.incarnation != incarnation
        return life.last_at is not None and life.may_fall_back and is_dead

    def begin(self, domain, address, place):
        """Let an agent leave, if it can."""
        process = self.processes.get(domain)
        copy = process and process.agents.get(address)
        if not copy or not copy.runs or process.machine.source.obstacle(address, place) or place == domain:
            return
        life = self.lives[copy.life]
        copy.runs, life.runs_at = False, None
        unsettled = [each for each in process.members if len(self.flight[domain, each]) > 1]
        snapshot = json.dumps([copy.life, copy.age]).encode()
        process.machine.begin(address, place, snapshot, unsettled)
        self.settle(process)

    def build(self, process, arrival, *, refuses):
        destination = process.machine.destination
        if refuses or arrival.address in process.agents:
            destination.refuse(arrival, "no")
        else:
            destination.built(arrival, Copy(*json.loads(arrival.snapshot), runs=False))
        self.settle(process)

    def wake(self, process, arrival):
        copy, address = arrival.guest, arrival.address
        assert address not in process.agents
        copy.runs = True
        process.agents[address] = copy
        process.held.discard(address)
        if self.lives[copy.life].is_over:
            self.forget_killed(process, address)
            return
        self.run(process, address)
        process.machine.destination.started(arrival)
        self.settle(process)

    def forget_killed(self, process, address):
        del process.agents[address]
        process.machine.ended(address)
        self.settle(process)

    def leave(self, process, departure):
        if not departure.is_leaving:
            return
        address = departure.address
        process.left[address] = process.agents.pop(address)
        brings = self.brings and process.left[address].age % 3 == 0
        process.machine.source.left(departure, brings=brings)
        if brings:
            process.to_bring.append(departure)
        self.settle(process)

    def perish(self, process, address):
        copy = process.agents.pop(address, None) or process.left[address]
        self.lives[copy.life].is_forfeit = True
        process.machine.ended(address)

    def terminate(self, process, address):
        if (departure := process.machine.source.departures.get(address)) is not None:
            process.machine.source.kill(departure)
        copy = process.agents.pop(address, None)
        if copy is not None:
            life = self.lives[copy.life]
            assert life.is_forfeit or life.is_over
            life.is_over, life.runs_at = True, None
            process.held.discard(address)
            process.machine.ended(address)

    def finish(self, domain, address):
        """End an agent where it lives, or kill it on its way."""
        process = self.processes.get(domain)
        copy = process and process.agents.get(address)
        if not copy:
            return
        life = self.lives[copy.life]
        if not copy.runs:
            if not process.machine.source.kill(process.machine.source.departures.get(address)):
                copy.runs = True
            else:
                life.is_forfeit = True
                process.agents.pop(address)
                process.machine.ended(address)
                self.settle(process)
                return
        process.agents.pop(address)
        life.is_over, life.runs_at = True, None
        process.machine.ended(address)
        self.settle(process)

    # -- in the end -----------------------------------------------------------------------------------------

    def work(self, domain, *, refuses=False):
        """Let a container do one of its slow tasks."""
        process = self.processes.get(domain)
        if process is None:
            return False
        if process.to_build:
            self.build(process, process.to_build.pop(0), refuses=refuses)
        elif process.to_start:
            self.wake(process, process.to_start.pop(0))
        elif process.to_leave:
            self.leave(process, process.to_leave.pop(0))
        elif process.to_bring:
            process.machine.source.brought(process.to_bring.pop(0))
            self.settle(process)
        else:
            return False
        return True

    def heal(self):
        """Start and connect all containers, and deliver everything."""
        self.cut.clear()
        for domain in self.domains:
            if domain not in self.processes:
                self.start(domain)
        for one, other in itertools.combinations(self.domains, 2):
            self.connect(one, other)
        for pair in tuple(self.misjudged):
            self.judge_anew(*pair)
        self.flow()

    def flow(self):
        count = 0
        while any([*(self.deliver(*pair) for pair in list(self.flight)), *map(self.work, self.domains)]):
            count += 1
            assert count < 2_000, "a storm"

    def check(self):
        """Check the guarantees after all is healed."""
        for process in self.processes.values():
            arrivals = process.machine.destination.arrivals
            assert not arrivals, f"{process.domain} has not started {arrivals}"
            assert not process.held, f"{process.domain} holds what comes for {process.held}"
            assert not process.machine.source.departures, process.machine.source.departures
            assert not process.machine.ledger._inquiries._inquiries
            for address, copy in process.agents.items():
                assert copy.runs, f"{address} does not go on at {process.domain}"
                self.run(process, address)
                home = address.partition("@")[2]
                place = self.processes[home].machine.ledger.place_of(address)
                assert place == process.domain or (place is None and home == process.domain), (address, place)
        for home, process in self.processes.items():
            for address in process.machine.ledger._records:
                place = process.machine.ledger.place_of(address)
                assert place is None or address in self.processes[place].agents, (
                    f"{home} has {address} at {place}, where it is not"
                )
        for life in self.lives:
            assert life.runs_at or life.is_forfeit or life.is_over, f"{life} is lost"
