"""The options of `formicary bench run`, in the groups in which its help shows them."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from formicary_bench.experiments.registry import all_parameters
from formicary_bench.experiments.selections import SELECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.vocabulary.parameters import Parameter

_SELECTIONS = "; ".join(f"{one.name}, {one.what}" for one in SELECTIONS.values())

_WHAT, _HOW, _OUTPUT = "Selection", "Method", "Output"

Experiment = Annotated[
    str | None,
    typer.Argument(
        help=f"An experiment of `formicary bench list`; a selection of them: {_SELECTIONS}; or everything, "
        "all experiments.",
        show_default="quick",
    ),
]

PlanFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Measure what this plan says; see `formicary bench plan new`.",
        rich_help_panel=_WHAT,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Measure nothing: say what would be, how often, and about how long.",
        rich_help_panel=_HOW,
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        help="Go on with a run that was interrupted, by the folder that it has made.",
        rich_help_panel=_HOW,
    ),
]

Output = Annotated[
    Path | None,
    typer.Option(
        help="Folder to make for the run.",
        show_default="runs/<time>-<experiment>",
        rich_help_panel=_OUTPUT,
    ),
]
Tables = Annotated[
    bool,
    typer.Option(
        "--tables",
        help="Print all tables, as `formicary bench show` does, and not only what has come out.",
        rich_help_panel=_OUTPUT,
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes", "-y", help="Do not ask before a run of more than ten minutes.", rich_help_panel=_HOW
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print lines of JSON only.", rich_help_panel=_OUTPUT)]


def _option(parameter: Parameter) -> Any:
    """Return the annotation of a parameter's option."""
    if parameter.name == "profile":
        return Annotated[
            bool, typer.Option(parameter.option, help=parameter.help, rich_help_panel=parameter.panel)
        ]
    type_ = Path if parameter.name == "hosts" else str
    return Annotated[
        type_ | None,
        typer.Option(
            parameter.option,
            metavar=parameter.metavar,
            help=parameter.help,
            show_default=parameter.default,
            rich_help_panel=parameter.panel,
        ),
    ]


def with_parameters(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command all parameters as options, in the place of its `**values`."""
    own = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    kept = [one.replace(annotation=hints[name]) for name, one in own.parameters.items() if name != "values"]
    added = [
        inspect.Parameter(
            one.keyword,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if one.name == "profile" else None,
            annotation=_option(one),
        )
        for one in all_parameters()
    ]
    function.__signature__ = own.replace(parameters=[*kept[:1], *added, *kept[1:]])  # type: ignore[attr-defined]
    return function
