"""The tables of `formicary hosts check`."""

from __future__ import annotations

from tests.unit.bench.remote.sights import DIGEST, seen

from formicary.doctor.finding import limited, missing
from formicary_bench.cli import hosts_view
from formicary_bench.remote.checks.check import Checked
from formicary_bench.remote.checks.facts import Seen, Way


def shown(capsys, *hosts, ways=()):
    hosts_view.show(Checked(is_fit=True, hosts=list(hosts), ways=list(ways)), DIGEST)
    return capsys.readouterr()


def test_a_host_is_a_line_of_all_that_was_seen(capsys):
    heading, line = shown(capsys, seen()).out.splitlines()
    names = "HOST REACHED PYTHON FORMICARY PROSODY CLOCK PORTS PY-SPY CORES MEMORY DISK LOAD OTHERS"
    assert heading.split() == names.split()
    said = "a 12 ms 3.11.2 1.2.3 0.12.3 -1.50 ± 0.20 ms free yes 8 17.2 GB 53.7 GB 0.10 0"
    assert line.split() == said.split()


def test_what_is_wrong_stands_in_its_column(capsys):
    odd = seen(
        formicary={"digest": "other", "tracing": None},
        prosody={"version": ""},
        listen={"taken": {"5269": "x", "5347": "y"}},
        machine={"usable": 2, "others": ["eve"]},
    )
    odd.offset_s = 7200.0
    (line,) = shown(capsys, odd).out.splitlines()[1:]
    said = "a 12 ms 3.11.2 1.2.3, other no +7200.00 ± 0.00 s 5269, 5347 taken not tested 2 of 8"
    assert line.split()[: len(said.split())] == said.split()


def test_a_host_that_was_not_reached_has_a_line_and_a_sentence(capsys):
    lost = Seen(
        host="b", findings=[limited("x", "it could be better"), missing("reach", "it is off", "start it")]
    )
    captured = shown(capsys, seen(), lost)
    assert captured.out.splitlines()[-1].split() == ["b", *["-"] * 12]
    assert captured.err.splitlines() == [
        "problem: host b: it is off; start it",
        "warning: host b: it could be better",
    ]


def test_ways_are_a_second_table(capsys):
    ways = [Way("a", "b", 0.000123, 117.5e6), Way("b", "a", blocked="refused")]
    heading, *lines = shown(capsys, seen(), ways=ways).out.partition("\n\n")[2].splitlines()
    assert heading.split() == ["FROM", "TO", "ROUND", "TRIP", "BANDWIDTH"]
    assert [line.split() for line in lines] == [
        ["a", "b", "0.123", "ms", "940", "Mbit/s"],
        ["b", "a", "blocked", "-"],
    ]


def test_what_a_host_says_does_nothing_to_the_terminal(capsys):
    evil = seen(prosody={"version": "\x1b[31mred"})
    evil.findings.append(missing("x", "\x1b]0;title\x07", ""))
    captured = shown(capsys, evil)
    assert "\x1b" not in captured.out + captured.err
