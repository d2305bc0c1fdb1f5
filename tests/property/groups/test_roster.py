"""The roster has all roles that it learns of, and reports each change once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from formicary.groups.naming import MANAGER, Role, read_role
from formicary.groups.roster import Roster

AGENTS = [f"{name}@{container}.lab.localhost" for name in "abc" for container in ("c1", "c2", "c3")]
ROLES = [
    Role(c, g, r) for c in ("public", "shop") for g in ("market", "fair") for r in (MANAGER, "seller", "x")
]
CHANGES = st.lists(
    st.tuples(st.sampled_from(AGENTS), st.sampled_from(ROLES), st.sampled_from([None, False, True, True])),
    max_size=60,
)


def learn(changes):
    """Return a roster after changes, what it reported, and what it should know."""
    told = []
    roster = Roster(lambda *change: told.append(change))
    known = {}  # who plays what, and whether the group is said to be secured
    for agent, role, is_secured in changes:
        before = len(told)
        was_there = (agent, role) in known
        if is_secured is None:
            roster.remove(agent, role)
            known.pop((agent, role), None)
        else:
            roster.put(agent, role, is_secured=is_secured)
            known[agent, role] = is_secured
        is_there = (agent, role) in known
        assert told[before:] == ([(agent, role, is_there)] if is_there is not was_there else [])
    return roster, told, known


@given(CHANGES)
def test_it_knows_who_plays_what(changes):
    roster, _, known = learn(changes)
    for community in ("public", "shop", "other"):
        names = {role.group for _, role in known if role.community == community}
        assert set(roster.groups(community)) == names
        for name in ("market", "fair"):
            group = roster.find(community, name)
            assert (group is None) is (name not in names)
            if group is not None:
                check_group(group, {
                    (agent, role.role): is_secured
                    for (agent, role), is_secured in known.items() if role[:2] == (community, name)
                })  # fmt: skip
    assert set(roster.communities()) == {role.community for _, role in known}


def check_group(group, known):
    assert group.is_secured is any(known.values())
    assert set(group.roles) == {role for _, role in known}
    assert {(agent, role) for agent, roles in group.roles_of.items() for role in roles} == set(known)
    assert group.managers() == sorted(
        agent for (agent, role), secured in known.items() if role == MANAGER and secured
    )
    for role in (None, *group.roles):
        players = group.players(role)
        expected = {agent for agent, played in known if role in {None, played}}
        assert set(players) == expected
        assert players.count == len(list(players)) == len(expected)
        assert all(agent in players for agent in expected)
        assert not any(agent in players for agent in set(AGENTS) - expected)
        for domain, agents in players.by_domain.items():
            assert set(agents) == {agent for agent in expected if agent.endswith(f"@{domain}")} != set()
    assert group.players("nobody plays this") is None


@given(CHANGES)
def test_what_it_tells_leads_to_what_it_knows(changes):
    _, told, known = learn(changes)
    followed = set()
    for agent, role, has_come in told:
        (followed.add if has_come else followed.discard)((agent, role))
    assert followed == set(known)


@given(CHANGES, st.sampled_from(AGENTS), st.data())
def test_all_have_their_turn(changes, chooser, data):
    role = ROLES[1]
    roster = Roster(lambda *_: None)
    roster.put(AGENTS[0], ROLES[0], is_secured=False)
    last = {}  # when each was chosen last
    turn = 0
    for agent, _, is_secured in changes:
        if is_secured is None:
            roster.remove(agent, role)
            last.pop(agent, None)
        else:
            roster.put(agent, role, is_secured=is_secured)
            last.setdefault(agent, -1)
        if not data.draw(st.booleans()):
            continue
        players = roster.find(*role[:2]).players(role.role)
        chosen = None if players is None else players.choose(chooser)
        others = {agent: when for agent, when in last.items() if agent != chooser}
        if not others:
            assert chosen is None
            continue
        assert last[chosen] == min(others.values())
        last[chosen] = turn = turn + 1


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_a_role_is_read_from_its_service_or_not_at_all(community, group, role):
    written = Role(community, group, role)
    read = read_role(written.service)
    fits = all(part and "/" not in part and part.isprintable() for part in written)
    assert read == (written if fits else None)
    if fits:
        described = written.described(AGENTS[0], is_secured=True)
        assert read_role(described.name) == written
        assert written.query().matches(described)
