"""What tests of labs have in common: a lab's programs, changed or not, and what the check says of them."""

from __future__ import annotations

from formicary_bench.labs.material import lab_named
from formicary_bench.labs.playing import load_scenarios, play
from formicary_bench.labs.programs import load


def graded(lab, text, folder, exercise=None, *, silent=()):
    """Play a lab's scenarios with a program; return what is wrong by scenario, empty where all is well.

    In those that are named `silent` the program says nothing, so that there is nothing to be shown.
    """
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    program = load(path)
    scenarios = load_scenarios(lab_named(lab).folder / "check.py").values()
    outcomes = [play(each, program) for each in scenarios if exercise in {None, each.exercise}]
    unplayed = ("program.py has no", "cannot be made")
    shown = [each for each in outcomes if each.problem and not any(text in each.problem for text in unplayed)]
    unexplained = {each.scenario for each in shown if not each.arrows}
    assert unexplained == set(silent)  # a failure is explained by messages
    return {each.scenario: each.problem for each in outcomes}


def mutant(lab, right, wrong):
    """Return a lab's solution with a typical mistake: what stands there once, and what a student writes."""
    text = lab_named(lab).text("solution.py")
    assert text.count(right) == 1, (text.count(right), right)
    return text.replace(right, wrong)
