"""What options of a container can be: a sentence for each that is none, before anything is opened."""

from __future__ import annotations

import pytest

from formicary import Container, Limits, Network, Services
from formicary.container.options import GROUPS, check_child_options, of_plain
from formicary.errors import InvalidNameError, UsageError
from formicary.testing import MemoryNetwork


@pytest.mark.parametrize(
    ("option", "given", "sentence"),
    [
        ("server", "local", r"server= must be a ServerAddress: write ServerAddress\.load\('local'\)"),
        ("server", 5, r"server= must be a ServerAddress, such as ServerAddress\.load\(\), not 5"),
        ("server", MemoryNetwork, "server= must be a ServerAddress, .* not <class"),
        ("join", 5, "join= must be the other container's join_address, as text, not 5"),
        ("listen", True, r"listen= must be the IP address .* such as '127\.0\.0\.1', not True"),
        ("guest", "yes", "guest= must be one of True, False, not 'yes'"),
        ("compute_in", "x", "compute_in= must be one of 'auto', 'processes', .* not 'x'"),
        ("accepts", 5, r"accepts= must be a list of package or module names, such as \['shop'\], not 5"),
        ("accepts", "nosuchpackage", "accepts= names 'nosuchpackage', .* install it"),
        ("creatable", ["json", "no_such.part"], "creatable= names .* no package or module 'no_such' here"),
        ("creatable", ["../json"], "creatable= takes package or module names, .* not '../json'"),
        ("limits", {"mailbox": 5}, r"limits= must be Limits\(\.\.\.\), of `formicary`, not \{"),
        ("network", Limits(), r"network= must be Network\(\.\.\.\), of `formicary`, not Limits\(\)"),
        ("services", None, r"services= must be Services\(\.\.\.\), of `formicary`, not None"),
    ],
)
def test_what_an_option_cannot_be_is_said(option, given, sentence):
    with pytest.raises(UsageError, match=f"^{sentence}"):
        Container("c1", **{option: given})


@pytest.mark.parametrize(
    ("group", "option", "given", "sentence"),
    [
        (Network, "identity", 5, "identity= must be the path of a file, not 5"),
        (Network, "route", "x", "route= must be one of 'auto', 'direct', 'xmpp', not 'x'"),
        (Network, "tls", None, "tls= must be one of True, False, 'always', not None"),
        (Limits, "when_full", "drop", "when_full= must be one of 'wait', 'fail', not 'drop'"),
        (Limits, "mailbox", "10", "mailbox= must be .* such as 1000, or 0 for no limit, not '10'"),
        (Limits, "mailbox", -1, "mailbox= must be .* such as 1000, or 0 for no limit, not -1"),
        (Limits, "mailbox", 1.5, "mailbox= must be .* not 1.5"),
        (
            Limits,
            "micro_agents",
            0,
            "micro_agents= must be a number of messages above 0, such as 1000, not 0",
        ),
        (Limits, "send_timeout", -1, "send_timeout= must be a number of seconds, such as 1.5, not -1"),
        (Limits, "send_timeout", float("nan"), "send_timeout= must be a number of seconds, .* not nan"),
        (Services, "sleepers", True, "sleepers= must be the path of a file, not True"),
        (Services, "directory", "x", "directory= must be one of 'replica', 'central', not 'x'"),
        (Services, "directory_file", "x", "a replica directory has no file; omit directory_file=, or use"),
        (Services, "conversation_rules", [], r"conversation_rules= must be one of 'strict', 'lenient', not "),
    ],
)
def test_what_an_option_of_a_group_cannot_be_is_said(group, option, given, sentence):
    with pytest.raises(UsageError, match=f"^{sentence}"):
        group(**{option: given})


def test_the_main_container_has_a_valid_name():
    with pytest.raises(InvalidNameError, match="C 1"):
        Services(main="C 1")


@pytest.mark.parametrize(
    ("option", "place"),
    [
        ("mailbox_limit", r"limits=Limits\(mailbox=\.\.\.\)"),
        ("queue_limit", r"limits=Limits\(micro_agents=\.\.\.\)"),
        *(
            (name, rf"{option}={group.__name__}\({name}=\.\.\.\)")
            for option, group in GROUPS.items()
            for name in group.__struct_fields__
        ),
    ],
)
def test_an_option_of_a_group_is_said_to_be_there(option, place):
    with pytest.raises(UsageError, match=f"^Container takes {place} instead of {option}="):
        Container("c1", **{option: 5})
    with pytest.raises(UsageError, match=f"takes {place} instead of {option}="):
        check_child_options({option: 5})


def test_an_unknown_option_is_refused():
    with pytest.raises(UsageError, match=r"^Container has no option colour="):
        Container("c1", colour="red")


def test_who_joins_has_no_server():
    with pytest.raises(UsageError, match="a container either has a server or joins another container"):
        Container("c1", server=MemoryNetwork(), join="127.0.0.1:5400")


def test_one_module_may_stand_for_a_list():
    assert Container("c1", creatable="json").creatable == ("json",)


async def test_files_may_be_text(tmp_path):
    async with Container("c1", services=Services(sleepers=str(tmp_path / "sleepers.sqlite"))):
        pass
    assert (tmp_path / "sleepers.sqlite").exists()


@pytest.mark.parametrize(
    ("option", "group", "sentence"),
    [
        ("network", Network(identity="c1.identity"), "cannot have identity= in network=; omit it"),
        ("services", Services(sleepers="sleepers.sqlite"), "cannot have sleepers= in services=; omit it"),
        ("limits", 5, r"limits= must be Limits\(\.\.\.\)"),
        ("server", MemoryNetwork(), "has no option server=; it takes accepts, compute_in, "),
    ],
)
def test_what_children_cannot_have_is_refused_before_they_start(option, group, sentence):
    with pytest.raises(UsageError, match=sentence):
        check_child_options({option: group})


def test_groups_come_back_from_plain_data():
    plain = {"seed": 7, "limits": {"mailbox": 5}, "network": {"tls": "always"}}
    assert of_plain(plain) == {"seed": 7, "limits": Limits(mailbox=5), "network": Network(tls="always")}
