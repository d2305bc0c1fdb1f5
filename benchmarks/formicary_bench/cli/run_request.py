"""The request to `formicary bench run`: an experiment, a selection, a plan, or the rest of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.plans.reading import HostsAsked, hosting_of
from formicary_bench.runner.execution.run import perform_all, resume
from formicary_bench.runner.execution.run_hosts import read_host_selection
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.run_plan import everything, of_one
from formicary_bench.vocabulary.names import EVERYTHING, QUICK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from formicary_bench.runner.execution.run import Outcome
    from formicary_bench.runner.execution.run_hosts import HostSelection
    from formicary_bench.runner.observers.observer import RunListener
    from formicary_bench.runner.planning.options import Values
    from formicary_bench.runner.planning.run_plan import RunPlan


def refuse(values: Values, what: str, instead: str, *, but: Sequence[str] = ()) -> None:
    """Refuse options that do not go with another one.

    Args:
        values: the options; those not given are None.
        what: what they do not go with.
        instead: what to do instead.
        but: names of those that are allowed.

    Raises:
        UsageError: one was given.
    """
    given = [name for name, value in values.items() if value not in {None, False} and name not in but]
    if given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        does = "do" if len(given) > 1 else "does"
        raise UsageError(f"{options} {does} not go with {what}: {instead}")


@dataclass(frozen=True)
class RunRequest:
    """What to measure.

    Attributes:
        experiment: an experiment, a selection, or `everything`.
        values: the other options, as typed.
        plan: the plan file, if any.
        resume: the folder of the run to resume, if any.
    """

    experiment: str
    values: Values
    plan: Path | None = None
    resume: Path | None = None

    def host_selection(self, asked: HostsAsked) -> HostSelection | None:
        """Return the hosts named on the command line, or else in the plan.

        Raises:
            UsageError: the options about hosts are invalid.
        """
        if self.plan is not None:
            asked = asked.or_else(hosting_of(self.plan))
        return read_host_selection(*asked)

    def run_plan(self, selection: HostSelection | None) -> RunPlan:
        """Return the plan of the run, on this machine or with these hosts.

        Raises:
            UsageError: the request is invalid, or cannot be met.
        """
        hosts = [host.name for host in selection.containers] if selection else []
        if self.plan is not None:
            from formicary_bench.plans.reading import read

            return read(self.plan, hosts)
        values = self.values
        if self.experiment == EVERYTHING:
            return everything(values.get("preset"), values.get("repeat"), values.get("seed"), hosts)
        return of_one(parse(self.experiment, hosts=hosts, **values))

    def perform(self, output: Path | None, listener: RunListener, selection: HostSelection | None) -> Outcome:
        """Measure it; see `run.perform_all` and `run.resume`."""
        if self.resume is not None:
            return resume(self.resume, listener, selection)
        return perform_all(self.run_plan(selection), output, listener, selection)


def run_request(
    experiment: str | None,
    values: Values,
    *,
    plan: Path | None = None,
    resume: Path | None = None,
    output: Path | None = None,
    dry_run: bool = False,
) -> RunRequest:
    """Return what was asked for.

    Args:
        experiment: an experiment, a selection, or all; None for the usual one.
        values: the other options, as typed.
        plan: the plan file, if any.
        resume: the folder of the run to resume, if any.
        output: the folder that was asked for.
        dry_run: whether nothing is to be measured.

    Raises:
        UsageError: they contradict each other.
    """
    if plan is not None and resume is not None:
        raise UsageError("--plan and --resume cannot be combined: use one of them")
    if experiment is not None and (plan or resume):
        raise UsageError(f"{experiment} does not go with {'--plan' if plan else '--resume'}: use one of them")
    if resume is not None:
        refuse(values, "--resume", "it continues the run as it was started; omit it")
        if output is not None or dry_run:
            raise UsageError(
                f"--{'dry-run' if dry_run else 'output'} does not go with --resume: it continues in "
                "the run's folder; omit it"
            )
        return RunRequest("", values, resume=resume)
    if plan is not None:
        refuse(values, "--plan", f"write it into {plan}")
    elif experiment == EVERYTHING:
        refuse(
            values,
            EVERYTHING,
            "omit it, or name an experiment, or create a plan with `formicary bench plan new`",
            but=("preset", "repeat", "seed"),
        )
    return RunRequest(experiment or QUICK, values, plan)
