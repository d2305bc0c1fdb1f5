"""Plans: TOML files that say what a run measures.

`values` says what each key takes, `reading` makes a run plan of a file, `writing` makes a file to begin
with, `cli` has the commands, and `dry_run_view` shows what a run would measure.
"""

CPU_GROUP = "runtime"
