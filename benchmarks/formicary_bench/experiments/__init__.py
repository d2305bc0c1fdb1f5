"""The experiments: what each one measures, what it varies, and what presets take of it.

A module declares one `experiment.Experiment`, or those of a family; `pipeline` beside it has what plans,
summarises and shows them. `registry` lists them, and to add one takes a line there. `selections` are runs
that take parts of several: `quick` decides, `tour` has all; `links`, all that there is between containers;
and `directory`, all that agents find each other by.

The way of a parameter:

1. An experiment declares it: a field of its `Parameters` with its option, kind, unit and help, and its values
   by itself, in the presets and in selections (`grid.swap` has three).
2. `registry` makes one option of all that have the same name: for the command line, its help, and plans.
3. `runner.planning.options` reads what was typed into `Options.sizes`. `runner.planning.drafts` combines all
   sizes for each subject at each place; `fit` drops what does not go together, and adds what follows.
4. `Configuration.parameters` brings it into the manifest, to the workers, into descriptions, and into the
   command that measures one configuration again.
5. Those who play the experiment read it with its type: `Swapping.of(work.configuration).swaps`.
6. `Row.parameters` brings it into the report: a column where it varies
   (`reports.document.tables.who_columns`), an axis where a `Figure` is over it, a word of sentences and
   labels.
"""

CPU_GROUP = "runtime"
