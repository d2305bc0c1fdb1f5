"""What tests of labs have in common: a lab's programs, changed or not, and what the check says of them."""

from __future__ import annotations

import contextlib
import re
import socket
import threading

from formicary_bench.labs.examinee import Examinee
from formicary_bench.labs.exchange import Line, Order, Report
from formicary_bench.labs.material import lab_named
from formicary_bench.labs.playing import load_scenarios, play
from formicary_bench.labs.process import serve

SEED = 1


@contextlib.contextmanager
def examined(path):
    """Yield the judge's side of a program that runs in another thread rather than in its own process."""
    ours, theirs = socket.socketpair()
    line = Line(theirs, Order)
    thread = threading.Thread(target=serve, args=(line, path, lambda seconds: None), daemon=True)
    thread.start()
    with ours, theirs:
        yield Examinee(Line(ours, Report), lambda: "it has ended")
        ours.shutdown(socket.SHUT_RDWR)
        thread.join()


def graded(lab, text, folder, exercise=None, *, silent=(), seed=SEED):
    """Play a lab's scenarios with a program; return the problem of each, empty if there is none.

    In those that are named `silent` the program says nothing, so that there is nothing to be shown.
    """
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    scenarios = load_scenarios(lab_named(lab)).values()
    with examined(path) as examinee:
        assert examinee.loaded() == ""
        outcomes = [play(each, examinee, seed) for each in scenarios if exercise in {None, each.exercise}]
    unplayed = ("program.py has no", "cannot be created")
    shown = [each for each in outcomes if each.problem and not any(text in each.problem for text in unplayed)]
    unexplained = {each.scenario for each in shown if not each.arrows}
    assert unexplained == set(silent)  # a failure is explained by messages
    assert all(each.passed is not bool(each.problem) for each in outcomes)
    return {each.scenario: each.problem for each in outcomes}


def said(problems, sentence):
    """Return whether one of the problems contains a sentence, in which … stands for random parts."""
    pattern = re.compile(".*".join(map(re.escape, sentence.split("…"))))
    return any(pattern.search(problem) for problem in problems)


def mutant(lab, right, wrong):
    """Return a lab's solution with a typical mistake: text that occurs once, and its replacement."""
    text = lab_named(lab).text("solution.py")
    assert text.count(right) == 1, (text.count(right), right)
    return text.replace(right, wrong)
