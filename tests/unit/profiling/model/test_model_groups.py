"""Which group a stack belongs to, by the innermost frame that a rule knows."""

from __future__ import annotations

import pytest

import formicary
from formicary.errors import UsageError
from formicary.profiling.model.groups import FORMER, RULES, Group, Rule, Rules, own_rule
from formicary.profiling.model.profile import Frame

HOME = formicary.__path__[0]
LIB = "/usr/lib/python3.11"
SITE = "/home/ada/venv/lib/python3.11/site-packages"


def frame(file, function="f"):
    return Frame(function, file, 1)


def group(*files, rules=None):
    return (rules or Rules()).group_of_stack(
        [frame(file) if isinstance(file, str) else file for file in files]
    )


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (f"{HOME}/run_queue.py", Group.PLATFORM),
        (f"{HOME}/__init__.py", Group.PLATFORM),
        (f"{HOME}/transport/link/link.py", Group.COMMUNICATION),
        (f"{HOME}/transport/__init__.py", Group.COMMUNICATION),
        (f"{HOME}/directory/central.py", Group.DIRECTORY),
        (f"{HOME}/profiling/prepared.py", Group.RUNTIME),
        (f"{SITE}/formicary/transport/link.py", Group.COMMUNICATION),
        (f"{SITE}/slixmpp/xmlstream/xmlstream.py", Group.COMMUNICATION),
        (f"{LIB}/asyncio/base_events.py", Group.RUNTIME),
        (f"{LIB}/asyncio/sslproto.py", Group.COMMUNICATION),
        (f"{LIB}/ssl.py", Group.COMMUNICATION),
        (f"{LIB}/threading.py", Group.RUNTIME),
        ("<frozen importlib._bootstrap>", Group.RUNTIME),
        ("/home/ada/market.py", Group.AGENTS),
        ("/home/ada/formicary/market.py", Group.AGENTS),  # a folder of this name is not the package
        ("<string>", Group.AGENTS),
    ],
)
def test_a_frame_that_says_nothing_of_itself(file, expected):
    assert group(file) == expected


def test_libraries_and_machine_code_belong_to_who_calls_them():
    agent, link = "/home/ada/market.py", f"{HOME}/transport/link/link.py"
    assert group(link, agent, f"{LIB}/json/encoder.py", f"{SITE}/numpy/core/numeric.py") == Group.AGENTS
    assert group(agent, link, f"{SITE}/msgspec/_core.cpython-311-x86_64-linux-gnu.so") == Group.COMMUNICATION
    assert group(agent, link, "?") == Group.COMMUNICATION


def test_machine_code_that_a_rule_knows_belongs_to_the_rules_group():
    agent = "/home/ada/market.py"
    assert group(agent, "/usr/lib/libssl.so.3") == Group.COMMUNICATION
    assert group(agent, "/usr/lib/libcrypto.so.3") == Group.AGENTS
    assert group(agent, Frame("gc_collect_main", "/usr/lib/libpython3.11.so.1.0")) == Group.RUNTIME
    assert group(agent, Frame("PyDict_New", "/usr/lib/libpython3.11.so.1.0")) == Group.AGENTS


def test_a_stack_in_which_nothing_is_known_is_the_runtimes():
    assert group() == Group.RUNTIME
    assert group(f"{LIB}/json/encoder.py", "?") == Group.RUNTIME


def test_what_an_import_runs_at_a_modules_top_level_is_the_runtimes():
    imported = Frame("<module>", f"{HOME}/directory/central.py", 1)
    script = Frame("<module>", "/home/ada/market.py", 1)
    machinery = Frame("_call_with_frames_removed", "<frozen importlib._bootstrap>", 1)
    assert group(script) == Group.AGENTS
    assert group(script, machinery, imported) == Group.RUNTIME
    assert group(script, machinery, imported, "/home/ada/market.py") == Group.AGENTS


def test_jobs_of_executors_and_threads_that_call_no_python_function_are_the_agents():
    assert group(Frame("_WorkItem.run", f"{LIB}/concurrent/futures/thread.py", 1)) == Group.AGENTS
    assert group(Frame("_worker", f"{LIB}/concurrent/futures/thread.py", 1)) == Group.RUNTIME
    assert group(Frame("Thread.run", f"{LIB}/threading.py", 1)) == Group.AGENTS


def test_a_users_rule_can_name_a_function():
    rules = Rules([own_rule("mine=formicary.behaviours:Behaviour._main")])
    assert group(Frame("Behaviour._main", f"{HOME}/behaviours.py", 1), rules=rules) == "mine"
    assert group(Frame("Behaviour.send", f"{HOME}/behaviours.py", 1), rules=rules) == Group.PLATFORM


def test_a_users_rules_come_first(tmp_path):
    package = tmp_path / "my_planner"
    package.mkdir()
    for name in ("__init__.py", "search.py"):
        (package / name).touch()
    rules = Rules([own_rule("planner=my_planner.*"), own_rule("net = formicary.transport.*")])
    assert group(str(package / "search.py"), rules=rules) == "planner"
    assert group(str(package / "__init__.py"), rules=rules) == "planner"
    assert group(str(tmp_path / "my_planner.py"), rules=rules) == "planner"
    assert group(str(tmp_path / "my_planner_too.py"), rules=rules) == Group.AGENTS
    assert group(f"{HOME}/transport/link/link.py", rules=rules) == "net"
    assert rules.names()[-2:] == ["planner", "net"]


@pytest.mark.parametrize("text", ["", "planner", "planner=", "=x", "two words=x", "a;b=x"])
def test_a_rule_that_is_not_written_so_is_refused(text):
    with pytest.raises(UsageError, match="NAME=PATTERN"):
        own_rule(text)


def test_processes():
    rules = Rules([own_rule("tools=process:ffmpeg*")])
    assert rules.group_of_process("prosody") == Group.SERVER
    assert rules.group_of_process("lua5.4") == Group.SERVER
    assert rules.group_of_process("ffmpeg") == "tools"
    assert rules.group_of_process("bash") is None


def test_every_rule_is_of_one_of_our_groups():
    assert {rule.group for rule in (*RULES, *FORMER)} <= set(Group)


def test_what_a_frame_says_of_itself_comes_before_all_but_a_users_own_rules():
    moved = Frame("f", f"{HOME}/directory/moved.py", 1, Group.COMMUNICATION)
    assert group(moved) == Group.COMMUNICATION
    assert group(moved, rules=Rules([own_rule("mine=formicary.directory.*")])) == "mine"
    theirs = [Rule(Group.PLATFORM, "module", "market")]
    assert group("/home/ada/market.py", rules=Rules(former=theirs)) == Group.PLATFORM
    assert group(Frame("f", "/home/ada/market.py", 1, "agents"), rules=Rules(former=theirs)) == Group.AGENTS
