"""What options of a container can be: a sentence for each that is none, before anything is opened."""

from __future__ import annotations

import pytest

from formicary import Container
from formicary.errors import UsageError
from formicary.local.child import check_options
from formicary.testing import MemoryNetwork


@pytest.mark.parametrize(
    ("option", "given", "sentence"),
    [
        ("server", "local", r"server= must be a ServerAddress: write ServerAddress\.load\('local'\)"),
        ("server", 5, r"server= must be a ServerAddress, such as ServerAddress\.load\(\), not 5"),
        ("server", MemoryNetwork, "server= must be a ServerAddress, .* not <class"),
        ("join", 5, "join= must be the other container's join_address, as text, not 5"),
        ("listen", True, r"listen= must be the IP address .* such as '127\.0\.0\.1', not True"),
        ("identity", 5, "identity= must be the path of a file, not 5"),
        ("sleepers", True, "sleepers= must be the path of a file, not True"),
        ("route", "x", "route= must be one of 'auto', 'direct', 'xmpp', not 'x'"),
        ("tls", None, "tls= must be one of True, False, 'always', not None"),
        ("guest", "yes", "guest= must be one of True, False, not 'yes'"),
        ("when_full", "drop", "when_full= must be one of 'wait', 'fail', not 'drop'"),
        ("conversation_rules", [], r"conversation_rules= must be one of 'strict', 'lenient', not \[\]"),
        ("mailbox_limit", "10", "mailbox_limit= must be .* such as 1000, or 0 for no limit, not '10'"),
        ("mailbox_limit", -1, "mailbox_limit= must be .* such as 1000, or 0 for no limit, not -1"),
        ("mailbox_limit", 1.5, "mailbox_limit= must be .* not 1.5"),
        ("queue_limit", 0, "queue_limit= must be a number of messages above 0, such as 1000, not 0"),
        ("send_timeout", -1, "send_timeout= must be a number of seconds, such as 1.5, not -1"),
        ("send_timeout", float("nan"), "send_timeout= must be a number of seconds, such as 1.5, not nan"),
        ("accepts", 5, r"accepts= must be a list of package or module names, such as \['shop'\], not 5"),
        ("accepts", "nosuchpackage", "accepts= names 'nosuchpackage', .* install it"),
        ("creatable", ["json", "no_such.part"], "creatable= names .* no package or module 'no_such' here"),
        ("creatable", ["../json"], "creatable= takes package or module names, .* not '../json'"),
    ],
)
def test_what_an_option_cannot_be_is_said(option, given, sentence):
    with pytest.raises(UsageError, match=f"^{sentence}"):
        Container("c1", **{option: given})


def test_who_joins_has_no_server():
    with pytest.raises(UsageError, match="a container either has a server or joins another container"):
        Container("c1", server=MemoryNetwork(), join="127.0.0.1:5400")


def test_one_module_may_stand_for_a_list():
    assert Container("c1", creatable="json").creatable == ("json",)


async def test_files_may_be_text(tmp_path):
    async with Container("c1", sleepers=str(tmp_path / "sleepers.sqlite")):
        pass
    assert (tmp_path / "sleepers.sqlite").exists()


def test_children_are_refused_the_same_before_they_start():
    with pytest.raises(UsageError, match="when_full= must be one of"):
        check_options({"when_full": "drop"})
