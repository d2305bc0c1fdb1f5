"""`formicary groups` on a platform that runs, whatever its directory is like."""

from __future__ import annotations

import json

HEADING = ["COMMUNITY", "GROUP", "ROLE", "AGENT", "CONTAINER", "STATE"]


def rows(text):
    heading, *lines = text.splitlines()
    assert heading.split() == HEADING
    return [[cell.removesuffix(".lab.localhost") for cell in line.split()] for line in lines]


def test_there_may_be_none(running):
    assert rows(running.said("groups")) == []
    assert json.loads(running.said("groups", "--json")) == {"members": [], "missing": []}


def test_members_are_listed_by_group_and_role_where_they_are_and_in_which_state(running):
    running.said("create", "shop:Host", "host")
    for name in ("pip", "ada"):
        running.said("create", "shop:Peddler", name)
    running.said("create", "shop:Peddler", "bob", "--container", "c2")
    try:
        running.said("move", "pip", "c2")
        running.said("deactivate", "ada")
        staff = ["public", "staff", "manager", "host@c1", "c1", "active"]
        manager = ["shop", "market", "manager", "host@c1", "c1", "active"]
        sellers = [
            ["shop", "market", "seller", "ada@c1", "c1", "deactivated"],
            ["shop", "market", "seller", "bob@c2", "c2", "active"],
            ["shop", "market", "seller", "pip@c1", "c2", "active"],
        ]
        for arguments, expected in (
            ([], [staff, manager, *sellers]),
            (["--community", "shop"], [manager, *sellers]),
            (["--group", "market", "--role", "seller"], sellers),
            (["--role", "manager"], [staff, manager]),
            (["--community", "public", "--group", "market"], []),
        ):
            assert rows(running.said("groups", *arguments)) == expected
        found = json.loads(running.said("groups", "--group", "staff", "--json"))
        assert found == {
            "members": [
                {
                    "community": "public",
                    "group": "staff",
                    "role": "manager",
                    "agent": "host@c1.lab.localhost",
                    "container": "c1.lab.localhost",
                    "state": "active",
                    "transit": None,
                }
            ],
            "missing": [],
        }
        assert "formicary-role" not in running.said("df", "list")
    finally:
        running.said("kill", "pip", "ada", "bob", "host")
    assert rows(running.said("groups")) == []


def test_a_central_directory_is_asked_alike(lab):
    with lab.run("--listen", "--directory", "central"):
        lab.said("create", "shop:Host", "host")
        lab.said("create", "shop:Peddler", "pip")
        assert [row[2:] for row in rows(lab.said("groups", "--community", "shop", "--group", "market"))] == [
            ["manager", "host@c1", "c1", "active"],
            ["seller", "pip@c1", "c1", "active"],
        ]


def test_a_platform_that_is_not_there_is_one_sentence(lab):
    assert "no platform is running on this host" in lab.refused("groups", code=3)
