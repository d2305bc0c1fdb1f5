"""The agents that `formicary run` finds in a script, and its errors if there are none."""

from __future__ import annotations

import sys

import pytest

from formicary.children.script import MODULE, Script, load_agents
from formicary.errors import UsageError

HEAD = """\
from formicary import Agent, MicroAgent, OneShotBehaviour

class Ping(Agent):
    pass

class Pong(MicroAgent):
    pass
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Return a function that writes a script and returns its path; undo what loading it changes in Python."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, MODULE, None)

    def write(text):
        path = tmp_path / "agents.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ["ping", "pong"]),
        ("Alias = Ping", ["ping", "pong"]),
        ("class _Base(Agent): pass", ["ping", "pong"]),
        ("class Named(Agent):\n    def __init__(self, name, size): super().__init__(name)", ["ping", "pong"]),
        (
            "class Sized(Ping):\n    def __init__(self, name, size=3): super().__init__(name)",
            ["ping", "pong", "sized"],
        ),
        ("alice = Ping('alice')", ["alice"]),
        ("bob = Pong('bob')\nalice = boss = Agent('alice')", ["bob", "alice"]),
        (
            "cells = [Pong(f'cell-{i}') for i in range(3)]\npair = Ping('a'), 7",
            ["cell-0", "cell-1", "cell-2", "a"],
        ),
        ("_hidden = Ping('hidden')\nshown = Ping('shown')", ["shown"]),
        ("if __name__ == '__main__':\n    raise SystemExit('the main program ran')", ["ping", "pong"]),
    ],
)
def test_which_agents_of_a_script_are_started(script, text, names):
    assert [agent.name for agent in load_agents(Script(str(script(HEAD + text))))] == names


def test_modules_beside_the_script_are_found_and_their_objects_count(script, tmp_path):
    (tmp_path / "beside_the_script.py").write_text(
        "from formicary import Agent\nclass Other(Agent): pass\nfriend = Other('friend')"
    )
    try:
        only_a_class = script(HEAD + "from beside_the_script import Other")
        assert [agent.name for agent in load_agents(Script(str(only_a_class)))] == ["ping", "pong"]
        an_object = script(HEAD + "from beside_the_script import friend")
        assert [agent.name for agent in load_agents(Script(str(an_object)))] == ["friend"]
    finally:
        del sys.modules["beside_the_script"]


def test_dataclasses_of_a_script_find_their_module(script):
    path = script(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
        "@dataclass\nclass Point:\n    kind: ClassVar[str] = 'p'\n    x: int = 0\n"
        "from formicary import Agent\nalice = Agent('alice')\nalice.set('at', Point(3))"
    )
    assert load_agents(Script(str(path)))[0].get("at").x == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import asyncio\nclass", "{}, line 2, is not Python: invalid syntax"),
        ("x = 1\n  y = 2", "{}, line 2, is not Python: unexpected indent"),
        ("x = '\0'", "is not Python: source code "),
        ("", "{} has no agents; create one at its top level, such as: alice = Agent('alice')"),
        ("from formicary import Agent", "{} has no agents; create one"),
        (
            "from formicary import Agent\nclass Big(Agent):\n    def __init__(self, name, size): pass",
            "{} has no agents, and Big needs more than a name; create one at its top level",
        ),
        (
            "from formicary import Agent\na = Agent('echo')\nb = Agent('echo')",
            "{} has 2 agents named 'echo'; give each a different name",
        ),
        ("\nimport nosuch_module", "{}, line 2: No module named 'nosuch_module'; install it, or correct"),
        ("import spade.nosuch", "{}, line 1: No module named 'spade"),
        ("import spade.nosuch", "; if this is a program for SPADE, run it with --spade"),
        ("from formicary import Nosuch", "{}, line 1: ImportError: cannot import name 'Nosuch'"),
        ("def half(x):\n    return 1 / x\n\nhalf(0)", "{}, line 2: ZeroDivisionError: division by zero"),
        (
            "from formicary import Agent\nAgent('Bob')",
            "{}, line 2: the agent name 'Bob'",
        ),
        (
            "from formicary import Agent\nclass A(Agent):\n    def __init__(self, name): raise OSError(name)",
            "{}, line 3: OSError: a",
        ),
        (
            "import sys\nsys.exit()",
            '{}, line 2, ends the process; put that under `if __name__ == "__main__":`',
        ),
        (
            "import asyncio\nasync def main(): pass\nasyncio.run(main())",
            "{}, line 3, runs the script's own program, which opens containers itself: start it",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(script, text, sentence):
    path = script(text)
    with pytest.raises(UsageError) as raised:
        load_agents(Script(str(path)))
    assert sentence.format(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path):
    with pytest.raises(UsageError, match=r"nosuch\.py cannot be read \(No such file or directory\)"):
        load_agents(Script(str(tmp_path / "nosuch.py")))
    with pytest.raises(UsageError, match=r"cannot be read \(Is a directory\)"):
        load_agents(Script(str(tmp_path)))
