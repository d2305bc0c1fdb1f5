"""Predict the figures of hundreds of hosts from those of a few, by a fitted model.

`lines` (straight lines and their predictions, with intervals), `model` (which part is used up first, for each
way to connect hosts), `fit` (from a run's figures to the model's), `tables` (its tables), `idle` (the cost of
an idle link). `docs/scaling.md` describes what is measured, what is assumed, and the limits of the model.
"""

CPU_GROUP = "runtime"
