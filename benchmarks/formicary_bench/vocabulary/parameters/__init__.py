"""The parameters of a run: what can be asked for, each declared once.

The command line, plans, the command that reproduces a configuration, and manifests take from here what a
parameter is called, what it takes, and what it says of itself.

- `parameter`: what one is
- `what`, `where`, `how`: those that are no experiment's own, by the parts of the help
- `shared`: those that many experiments have
"""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.vocabulary.parameters import how, what, where
from formicary_bench.vocabulary.parameters.parameter import (
    ALWAYS,
    HOSTS,
    MOST_SEED,
    OWN,
    SHARED,
    VARIED,
    WHOLE,
    Parameter,
    Parameters,
    declared_by,
)

_MODULES = {"Selection": what, "Placement": where, "Method": how}

PARAMETERS = tuple(
    replace(one, panel=panel) for panel, module in _MODULES.items() for one in module.PARAMETERS
)
"""Those that are no experiment's own, in the order in which help shows them."""

__all__ = [
    "ALWAYS",
    "HOSTS",
    "MOST_SEED",
    "OWN",
    "PARAMETERS",
    "SHARED",
    "VARIED",
    "WHOLE",
    "Parameter",
    "Parameters",
    "declared_by",
]
