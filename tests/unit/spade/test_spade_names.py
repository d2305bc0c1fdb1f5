"""Names that programs import from SPADE, and attribute names that they choose themselves."""

from __future__ import annotations

import re
import sys

import pytest

from formicary.spade.agent import Agent
from formicary.spade.behaviour import CyclicBehaviour, FSMBehaviour, State
from formicary.spade.importing import install
from formicary.spade.message import Message
from formicary.spade.template import Template

SPADES = """
_already_executed _alive _done _exit_code _hook_plugin_after_connection _hook_plugin_before_connection
_run _states _transitions _values add_behaviour add_state add_transition agent avatar behaviours
build_avatar_url client container current_state dispatch download_file enqueue exit_code get get_state
get_states has_behaviour is_alive is_done is_killed is_running is_valid_transition jid join kill loop
mailbox_size match name next_state on_end on_start password presence queue receive remove_behaviour run
send send_file set set_agent set_container set_loop set_next_state set_template setup start stop submit
template to_graphviz traces upload_and_send_file upload_file verify_security web xmpp_port
"""
"""Attributes that SPADE's agents and behaviours have."""


@pytest.fixture
def as_spade(monkeypatch):
    """Make `import spade` return our package."""
    monkeypatch.setenv("PYTHONPATH", "")
    for name in "path", "meta_path":
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])
    install()
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "spade"]:
        del sys.modules[name]


@pytest.mark.usefixtures("as_spade")
def test_spades_modules_have_what_they_import_themselves():
    names = {}
    exec("from spade.behaviour import *\nfrom spade.agent import Agent, AgentType, Message, Template", names)
    assert names["Message"] is Message
    assert names["Template"] is Template
    assert {"asyncio", "datetime", "timedelta", "FSMBehaviour", "State"} <= names.keys()
    from spade import agent

    assert agent.CyclicBehaviour is CyclicBehaviour


@pytest.mark.usefixtures("as_spade")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "from spade.xmpp_client import XMPPClient",
            "there is no XMPP client here; with --spade",
        ),
        ("import spade.web", "agents have no web pages here"),
        ("from spade import web", "agents have no web pages here"),
        ("from spade import quit_spade", "is from SPADE before 3.2; write a coroutine"),
        ("from spade.cli import create_cli", "which is not needed here"),
    ],
)
def test_what_is_left_out_cannot_be_imported_and_says_why(line, reason):
    with pytest.raises(ImportError, match=re.escape(reason)):
        exec(line)


@pytest.mark.usefixtures("as_spade")
def test_other_modules_are_not_found_as_usual():
    with pytest.raises(ModuleNotFoundError):
        exec("import spade.nothing")
    import spade

    with pytest.raises(AttributeError, match=r"quit_spade.*SPADE before 3\.2"):
        spade.quit_spade()
    assert not hasattr(spade, "nothing")


def test_names_that_spade_lacks_begin_with_our():
    class Red(State):
        async def run(self):
            """Do nothing."""

    made = Agent("bob@localhost"), FSMBehaviour(), Red()
    others = {name for each in made for name in dir(each)} - set(SPADES.split())
    assert {name for name in others if not name.startswith(("our_", "_our_", "_abc_", "__"))} == set()


def test_a_template_can_be_set_before_a_behaviour_is_initialised():
    class Early(CyclicBehaviour):
        def __init__(self):
            self.set_template(Template(thread="t1"))
            super().__init__()

        async def run(self):
            """Do nothing."""

    early = Early()
    assert early.template is None  # as in SPADE
    assert early.queue is None
