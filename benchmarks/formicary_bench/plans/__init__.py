"""Plans: TOML files that say what a run measures.

`reading` makes a run plan of a file, `writing` makes a file to begin with; what each key takes is in
`vocabulary.parameters`.
"""

CPU_GROUP = "runtime"
