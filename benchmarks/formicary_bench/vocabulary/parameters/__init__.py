"""The parameters of a run: what can be asked for, each declared once.

The command line, plans, the command that reproduces a configuration, and manifests take from here what a
parameter is called, what it takes, and what it says of itself.

- `parameter`: what one is
- `what`, `where`, `how_much`, `how`: those there are, by the parts of the help
"""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.vocabulary.parameters import how, how_much, what, where
from formicary_bench.vocabulary.parameters.parameter import (
    ALWAYS,
    HOSTS,
    MOST_SEED,
    SHARED,
    VARIED,
    WHOLE,
    Parameter,
)

_PANELS = {"What": what, "Where": where, "How much": how_much, "How": how}

PARAMETERS = tuple(
    replace(one, panel=panel) for panel, module in _PANELS.items() for one in module.PARAMETERS
)
"""All, in the order in which help shows them."""

ASKED = tuple(one for one in PARAMETERS if one.scope != HOSTS)
"""Those that say what is measured, and not over which hosts."""

__all__ = [
    "ALWAYS",
    "ASKED",
    "HOSTS",
    "MOST_SEED",
    "PARAMETERS",
    "SHARED",
    "VARIED",
    "WHOLE",
    "Parameter",
    "with_scope",
]


def with_scope(*scopes: str) -> dict[str, Parameter]:
    """Return the parameters that have one of some scopes, by their names."""
    return {one.name: one for one in PARAMETERS if one.scope in scopes}
