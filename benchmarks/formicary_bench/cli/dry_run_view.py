"""What a run would measure, how often, and about how long that would take."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

from formicary.cli.output import say
from formicary.core.quoting import printable
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.results.store.machine import collect_machine
from formicary_bench.runner.forecast.forecast import Forecast, earlier_durations, in_words
from formicary_bench.subjects.registry import subject_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.runner.planning.run_plan import RunPlan
    from formicary_bench.vocabulary.configuration import Configuration


def show(run_plan: RunPlan, *, as_json: bool) -> None:
    order = [one for one, many in run_plan.repeats.items() for _ in range(many)]
    forecast = Forecast(order, earlier_durations(collect_machine()))
    for sentence in (*run_plan.notes, *run_plan.left_out):
        say(f"! {sentence}", err=True)
    if as_json:
        for one, many in run_plan.repeats.items():
            seconds = round(forecast.seconds(one) * many, 1)
            say(json.dumps({"configuration": one.key, "repetitions": many, "seconds": seconds}))
        return
    _print_table(run_plan, forecast)
    say(
        f"{len(run_plan.plan)} configurations, {len(order)} measurements, about "
        f"{in_words(forecast.remaining())}. Nothing was measured."
    )


def _print_table(run_plan: RunPlan, forecast: Forecast) -> None:
    from rich import box
    from rich.table import Table

    from formicary_bench.reports.formats.terminal import console_for_reports

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("experiment", "platforms", "where", "sizes"):
        table.add_column(title, overflow="fold")
    for title in ("configurations", "repetitions", "about"):
        table.add_column(title, justify="right")
    for name, members in groupby(
        sorted(run_plan.plan, key=lambda one: _place(run_plan, one)), lambda one: one.experiment
    ):
        ones = list(members)
        many = [run_plan.repeats[one] for one in ones]
        seconds = sum(run_plan.repeats[one] * forecast.seconds(one) for one in ones)
        repeats = "-".join(map(str, dict.fromkeys((min(many), max(many)))))
        about = in_words(seconds)
        cells = (name, _subjects(ones), _where(ones), _sizes(ones), str(len(ones)), repeats, about)
        table.add_row(*map(printable, cells))
    console_for_reports().print(table)


def _place(run_plan: RunPlan, configuration: Configuration) -> int:
    """Return the position of its experiment's first configuration."""
    return [one.experiment for one in run_plan.plan].index(configuration.experiment)


def _subjects(ones: Sequence[Configuration]) -> str:
    return ", ".join(dict.fromkeys(subject_of(one.platform, one.kind).name for one in ones))


def _where(ones: Sequence[Configuration]) -> str:
    ways = {"in-process", "none"}
    places = dict.fromkeys(one.placement for one in ones)
    routes = dict.fromkeys(f"{one.route}{' with TLS' * one.tls}" for one in ones if one.route not in ways)
    return ", ".join(places) + (f" ({', '.join(routes)})" if routes else "")


def _sizes(ones: Sequence[Configuration]) -> str:
    found = []
    for parameter in EXPERIMENTS[ones[0].experiment].own:
        values = (
            sorted({one.parameters.get(parameter.attribute, 0) for one in ones}) if parameter.unit else ()
        )
        if any(values):
            found.append(f"{', '.join(map(str, values))} {parameter.unit}")
    return "; ".join(found)
