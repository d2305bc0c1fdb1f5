"""However slowly a subscriber reads, all changes together give the roles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from formicary.groups.naming import Role
from formicary.groups.roster import Roster
from formicary.groups.subscription import GroupSubscription

AGENTS = st.sampled_from([f"{name}@c1.lab.localhost" for name in "abcd"])
ROLES = st.sampled_from(["seller", "buyer", "spy"])
STEPS = st.lists(st.one_of(st.none(), st.tuples(AGENTS, ROLES, st.booleans())), max_size=40)


class Service:
    """The part of a service that a subscription needs."""

    def __init__(self):
        self.roster = Roster(lambda agent, role, has_come: self.listener(agent, role.role, has_come))
        self.listener = lambda *_: None
        self.find = self.roster.find
        self.open_subscriptions = set()

    async def open(self):
        pass

    def listen(self, community, group, listener):
        self.listener = listener

    def ignore(self, community, group, listener):
        self.listener = None

    def change(self, agent, role, has_come):
        whole = Role("public", "market", role)
        if has_come:
            self.roster.put(agent, whole, is_secured=False)
        else:
            self.roster.remove(agent, whole)

    def players(self, role):
        group = self.find("public", "market")
        roles = {} if group is None else group.roles_of
        return {(agent, each) for agent, played in roles.items() for each in played if role in {None, each}}


@given(STEPS, STEPS, st.sampled_from([None, "seller"]))
async def test_changes_add_up_to_who_plays_what(before, steps, role):
    service = Service()
    for step in before:
        if step is not None:
            service.change(*step)
    known = set()
    is_first = True
    async with GroupSubscription(service, "public", "market", role) as changes:
        for step in [*steps, None]:
            if step is not None:
                service.change(*step)
                continue
            if not changes._has_news.is_set():
                assert known == service.players(role)
                assert not is_first
                continue
            change = await anext(changes)
            assert is_first or change.came or change.left
            assert not set(change.came) & known
            assert set(change.left) <= known
            known = (known | set(change.came)) - set(change.left)
            assert known == service.players(role)
            is_first = False
    assert service.listener is None
