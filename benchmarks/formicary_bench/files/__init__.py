"""Files that people write.

- `toml_files`: TOML, with all that is wrong said at once, and values converted to types.
- `toml_lines`: in which line each key is.
"""

CPU_GROUP = "runtime"
