"""Tables, bars, flame graphs and speedscope files."""

from __future__ import annotations

import json
from io import StringIO
from xml.etree import ElementTree as ET

import msgspec
import pytest
from rich.console import Console

import formicary
from formicary.profiling.analysis import tables
from formicary.profiling.analysis.attribution import View, cpu_times
from formicary.profiling.analysis.flame import flame
from formicary.profiling.analysis.speedscope import speedscope
from formicary.profiling.model.groups import Rules, colour, own_rule
from formicary.profiling.model.profile import Frame, Method, Process, Profile, Role, Stack, Thread

HOME = formicary.__path__[0]
FRAMES = (
    Frame("<b>\x1b[31m&.Trader.run", "/home/ada/market.py", 3),
    Frame("Link.send", f"{HOME}/transport/link/link.py", 9),
)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def profile():
    process = Process(
        7,
        Role.CONTAINER,
        "python",
        3.0,
        1.0,
        (Thread(1, "main", "loop", 4.0),),
        (Stack(1, (0,), 30), Stack(1, (0, 1), 10)),
    )
    return Profile(
        method=Method.SAMPLED,
        host="h",
        began=0.0,
        window_s=10.0,
        rate_hz=100.0,
        processes=(process, Process(8, Role.SERVER, "prosody", 1.0, 0.0)),
        frames=FRAMES,
    )


def shown(profile, view, **options):
    console = Console(file=StringIO(), width=100_000, color_system=None, highlight=False, markup=False)
    tables.write(console, profile, cpu_times(profile, view), view, **{"top": 20, **options})
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_the_papers_table(profile):
    lines = shown(profile, View.GROUP)
    assert lines[0] == "5.00 s of CPU in 10.00 s on h, 40 samples at 100 Hz"
    rows = {line.split()[0]: line.split()[1:] for line in lines if line[:1].isalpha()}
    assert rows["agents"][:2] == ["mas", "3000.0"]
    assert rows["agents"][-1] == "60.0"
    assert rows["communication"][:2] == ["com", "1000.0"]
    assert rows["server"] == ["1000.0", "0.0", "20.0"]


def test_the_bar_is_as_wide_as_the_shares_and_has_letters_where_there_are_no_colours(profile):
    found = cpu_times(profile, View.GROUP)
    [drawn, legend] = tables.bar(found, is_coloured=False).plain.splitlines()
    assert drawn == "a" * 36 + "c" * 12 + "s" * 12
    assert legend.split() == ["a", "agents", "c", "communication", "s", "server"]
    assert set(tables.bar(found, is_coloured=True).plain.splitlines()[0]) == {"\N{FULL BLOCK}"}


def test_the_cost_of_measuring_stands_with_the_table(profile):
    accounted = msgspec.structs.replace(profile, method=Method.ACCOUNTED, cost=0.02)
    assert "which took 2.0% of the CPU time, already subtracted" in shown(accounted, View.GROUP)[0]


def test_long_lists_are_cut_and_say_so(profile):
    lines = shown(profile, View.FUNCTION, top=1)
    assert lines[-1] == "and 2 more; show them with --top"
    assert sum("Trader.run" in line for line in lines) == 1


def test_names_do_nothing_to_a_terminal(profile):
    text = "\n".join(shown(profile, View.FUNCTION))
    assert "\x1b" not in text
    assert r"market:<b>\x1b[31m&.Trader.run" in text


def test_a_users_group_is_in_the_printed_rules(capsys):
    console = Console(width=200, color_system=None)
    console.print(tables.rules_table(Rules([own_rule("planner=my_planner.*")])))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:3] == ["planner", "module", "my_planner.*"]
    assert any(line.split()[:3] == ["directory", "sds", "module"] for line in lines)


def test_a_flame_graph_is_xml_with_the_groups_colours_and_widths_in_proportion(profile):
    root = ET.fromstring(flame(profile, Rules()))
    boxes = {box.findtext(f"{SVG}title"): box.find(f"{SVG}rect") for box in root.iter(f"{SVG}g")}
    whole = next(rect for title, rect in boxes.items() if title.startswith("all:"))
    link = next(
        rect for title, rect in boxes.items() if title.startswith("formicary.transport.link.link:Link.send")
    )
    agent = next(rect for title, rect in boxes.items() if "Trader.run" in title)
    assert float(link.get("width")) == pytest.approx(float(whole.get("width")) / 5, abs=0.2)
    assert (link.get("fill"), agent.get("fill")) == (colour("communication"), colour("agents"))
    assert float(link.get("y")) < float(agent.get("y"))  # it is called, so it stands above
    assert not [element for element in root.iter() if element.tag.endswith(("script", "image"))]


def test_a_very_deep_stack_is_drawn(profile):
    process = msgspec.structs.replace(profile.processes[0], stacks=(Stack(1, (0,) * 5000, 1),))
    assert ET.fromstring(flame(msgspec.structs.replace(profile, processes=(process,)), Rules())) is not None


def test_an_empty_profile_is_drawn(profile):
    assert ET.fromstring(flame(msgspec.structs.replace(profile, processes=()), Rules())) is not None


def test_a_speedscope_file_has_what_its_schema_asks_for(profile):
    document = json.loads(speedscope(profile, Rules()))
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    [thread] = document["profiles"]
    assert thread["type"] == "sampled"
    assert len(thread["samples"]) == len(thread["weights"])
    assert sum(thread["weights"]) == pytest.approx(thread["endValue"]) == pytest.approx(4.0)
    named = [[frames[place] for place in sample] for sample in thread["samples"]]
    assert [stack[-1] for stack in named] == ["[agents]", "[communication]"]
    assert named[1][-2] == "Link.send"


def test_every_group_has_a_colour_and_a_users_own_always_the_same():
    assert colour("planner") == colour("planner")
    assert len({colour(name) for name in Rules().names()}) == 6
