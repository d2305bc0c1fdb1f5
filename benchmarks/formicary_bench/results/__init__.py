"""The run folder: the data of a run, and what is computed from it.

`model` says what a manifest holds, `raw` writes and reads the measured values, `folder` keeps both together
on disk, `machine` describes where the run took place, `summary` computes one row per configuration.

The way of a metric:

1. An experiment declares it: a `Metric` with its name, words, unit, and whether more is better. 2. Its
`summarise` reads a repetition's raw values, and returns numbers by metric (`experiments.grid.pipeline`);
those of round trips are `summary.round_trips`, what follows from others is `derived`. 3.
`summary.row.with_figures` makes an `Estimate` of each: its mean over the repetitions, and its 95% interval.
Percentiles are of the round trips of all repetitions together. `stability_of` says how far each can be
believed. 4. `verdicts` compare platforms, `compare` and `history` runs. 5. `reports.document.usual` shows all
that is declared: columns, the sentence, charts. `long` is one line for each figure of each repetition:
`formicary_bench.load`, CSV and Parquet.
"""

CPU_GROUP = "runtime"
