"""Plans: TOML files that describe a run.

`reading` turns a file into a run plan, `writing` writes a file to start from; the keys and their values are
those of `vocabulary.parameters`.
"""

CPU_GROUP = "runtime"
