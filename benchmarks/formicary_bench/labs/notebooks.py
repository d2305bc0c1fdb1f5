"""A lab as a Jupyter notebook, made of the same text; needs the extra `notebooks`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.labs.programs import FILE

if TYPE_CHECKING:
    from formicary_bench.labs.material import Lab

_KERNEL = """\
---
jupyter:
  kernelspec:
    display_name: Python 3
    language: python
    name: python3
---

"""
_PROGRAM = f"""
## The program

This cell writes your program into `{FILE}`. Complete it here, run the cell, and then the next one.
"""
_CHECK = """
```python
import subprocess, sys

print(subprocess.run(["formicary", "lab", "check", "."], capture_output=True, text=True).stdout)
```
"""


def notebook_of(lab: Lab) -> str:
    """Return a lab's text as a notebook, in JSON: its examples are cells, and the program is one, too.

    Raises:
        UsageError: the extra `notebooks` is not installed.
    """
    if find_spec("jupytext") is None:
        raise UsageError(
            "cannot create a notebook: jupytext is not installed; install it with: pip install "
            '"formicary[notebooks]"'
        )
    import jupytext

    from formicary_bench.labs.material import text_of

    cell = f"```python\n%%writefile {FILE}\n{lab.text('start.py')}```\n"
    text = f"{_KERNEL}{text_of(lab)}{_PROGRAM}\n{cell}{_CHECK}"
    written: str = jupytext.writes(jupytext.reads(text, fmt="md"), fmt="ipynb")
    return written
