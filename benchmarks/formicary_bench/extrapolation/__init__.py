"""How what was measured over a few hosts goes on over hundreds: a model, and what it is fitted to.

Where things are: `lines` (straight lines and what they predict, with intervals), `model` (which part is used
up first, for each way to connect hosts), `fit` (from a run's figures to the model's), `tables` (what is said
of it), `idle` (what a link costs over which nothing goes). `docs/scaling.md` says what is measured, what is
assumed, and where not to believe it.
"""

CPU_GROUP = "runtime"
