"""Files that people write.

- `toml_files`: TOML, with all mistakes in one error, and values converted to types.
- `toml_lines`: the line of each key.
"""

CPU_GROUP = "runtime"
