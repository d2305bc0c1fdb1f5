"""Commands that look at a platform whose containers meet at a server."""

from __future__ import annotations

import json

import pytest
from tests.integration.cli.platforms import Lab

from formicary.server import ManagedServer

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def at_server(tmp_path_factory):
    """Give a place where a platform of two containers runs that meet at a server, and the option for it."""
    lab = Lab(tmp_path_factory.mktemp("platform"))
    with ManagedServer() as server:
        where = ("--server", str(server.folder.path))
        with lab.run(*where), lab.run("--name", "c2", *where):
            lab.until(lambda: "c2 " in lab.said("ps", *where))
            lab.until(lambda: "laser@c2" in lab.said("df", "list", *where))
            yield lab, where


def test_a_platform_is_looked_at(at_server):
    lab, server = at_server
    for _ in range(3):
        found = json.loads(lab.said("ps", "--json", *server))["containers"]
        assert [each["name"] for each in found] == ["c1", "c2"]
        peers = {link["peer"] for each in found for link in each["links"]}
        assert peers <= {"c1.lab.localhost", "c2.lab.localhost"}
    assert lab.said("create", "shop:Printer", "ink", "--container", "c2", *server).startswith("created")
    assert len(lab.said("df", "list", *server).splitlines()) == 4
    assert lab.said("kill", "ink", *server) == "killed ink@c2.lab.localhost\n"


def test_the_platform_s_container_may_have_another_name(lab):
    with ManagedServer() as running:
        server = ("--server", str(running.folder.path))
        with lab.run("--name", "lobby", "--main", "lobby", *server):
            assert lab.said("ps", "--main", "lobby", *server).splitlines()[1].startswith("lobby ")
            assert "the platform's container c1 cannot be reached" in lab.refused("ps", *server, code=3)


def test_a_container_that_is_not_the_platform_s_says_so(at_server):
    lab, server = at_server
    sentence = lab.refused("ps", "--main", "c2", *server, code=2)
    assert "the platform's container is c1, not c2; set it with --main" in sentence


def test_a_name_that_is_taken_is_one_sentence(at_server):
    lab, server = at_server
    assert "already" in lab.refused("ps", "--as", "c1", *server, code=1)
    assert lab.said("ps", "--as", "looker", *server).count("\n") == 3
