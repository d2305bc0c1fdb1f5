"""What `formicary bench run` was asked for: an experiment, several, a plan's, or what is left of a run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.engine import options
from formicary_bench.engine.programme import everything, of_one
from formicary_bench.engine.run import perform_all, resume
from formicary_bench.experiments.presets import EVERYTHING
from formicary_bench.experiments.quick import QUICK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from formicary_bench.engine.hosting import Hosting
    from formicary_bench.engine.programme import Programme
    from formicary_bench.engine.run import Audience, Outcome


@dataclass(frozen=True, kw_only=True)
class Words:
    """The options of the command line that say what is measured, as they were typed; None where not given."""

    preset: str | None = None
    pairs: str | None = None
    payload: str | None = None
    agents: str | None = None
    services: str | None = None
    containers: str | None = None
    growth: str | None = None
    count: str | None = None
    traffic: str | None = None
    spread: str | None = None
    placement: str | None = None
    route: str | None = None
    tls: str | None = None
    platform: str | None = None
    rounds: str | None = None
    profile: bool = False
    repeat: str | None = None
    seed: str | None = None

    def refuse(self, what: str, instead: str, *, but: Sequence[str] = ()) -> None:
        """Refuse all that was given.

        Args:
            what: what it does not go with.
            instead: what to do.
            but: names of what may be given.

        Raises:
            UsageError: something was given.
        """
        given = [one.name for one in fields(self) if getattr(self, one.name) not in {None, False}]
        if wrong := [f"--{name}" for name in given if name not in but]:
            raise UsageError(
                f"{', '.join(wrong)} {'do' if len(wrong) > 1 else 'does'} not go with {what}: {instead}"
            )


@dataclass(frozen=True)
class Asked:
    """What to measure.

    Attributes:
        experiment: an experiment, a selection, or all.
        words: what else was said of it.
        plan: the file that says it instead.
        resume: the folder of a run that is gone on with instead.
    """

    experiment: str
    words: Words
    plan: Path | None = None
    resume: Path | None = None

    def programme(self, hosting: Hosting | None) -> Programme:
        """Return what is measured on this machine, or with these hosts.

        Raises:
            UsageError: what was asked for is not understood, or cannot be.
        """
        hosts = [host.name for host in hosting.containers] if hosting else []
        if self.plan is not None:
            from formicary_bench.plans.reading import read

            return read(self.plan, hosts)
        words = {one.name: getattr(self.words, one.name) for one in fields(self.words)}
        if self.experiment == EVERYTHING:
            return everything(words["preset"], words["repeat"], words["seed"], hosts)
        return of_one(options.parse(self.experiment, hosts=hosts, **words))

    def perform(self, output: Path | None, audience: Audience, hosting: Hosting | None) -> Outcome:
        """Measure it; see `run.perform_all` and `run.resume`."""
        if self.resume is not None:
            return resume(self.resume, audience, hosting)
        return perform_all(self.programme(hosting), output, audience, hosting)


def ask(
    experiment: str | None,
    words: Words,
    *,
    plan: Path | None = None,
    going_on: Path | None = None,
    output: Path | None = None,
    dry_run: bool = False,
) -> Asked:
    """Return what was asked for.

    Args:
        experiment: an experiment, a selection, or all; None for the usual one.
        words: what else was said of it.
        plan: the file that says it instead.
        going_on: the folder of a run that is gone on with instead.
        output: the folder that was asked for.
        dry_run: whether nothing is to be measured.

    Raises:
        UsageError: words contradict each other.
    """
    if plan is not None and going_on is not None:
        raise UsageError("--plan and --resume are two runs: take one of them")
    if experiment is not None and (plan or going_on):
        raise UsageError(
            f"{experiment} does not go with {'--plan' if plan else '--resume'}: take one of them"
        )
    if going_on is not None:
        words.refuse("--resume", "it goes on with what the run was begun with; leave that out")
        if output is not None or dry_run:
            raise UsageError(
                f"--{'dry-run' if dry_run else 'output'} does not go with --resume: it goes on in the folder "
                "that there is; leave it out"
            )
        return Asked("", words, resume=going_on)
    if plan is not None:
        words.refuse("--plan", f"write it into {plan}")
    elif experiment == EVERYTHING:
        words.refuse(
            EVERYTHING,
            "leave it out, or name an experiment, or write a plan with `formicary bench plan new`",
            but=("preset", "repeat", "seed"),
        )
    return Asked(experiment or QUICK.name, words, plan)
