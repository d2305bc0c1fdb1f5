"""The laboratory: what agent communication costs, and why.

What it computes, stores and draws with is the extra `bench`. Where a library of that is imported and not
there, the error says how to install it; exercises for students (`labs`) are checked without.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from formicary.errors import UsageError

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

CPU_GROUP = "runtime"

__all__ = ["load"]

_LIBRARIES = ("jinja2", "markupsafe", "numpy", "pyarrow", "scipy")


class LibraryMissingError(UsageError, ModuleNotFoundError):
    """A library of the laboratory is not installed."""


class _LastFinder:
    """Asked for a library of ours that no other finder has found, says how to install it."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        del path, target
        if name in _LIBRARIES:
            raise LibraryMissingError(
                f"the laboratory needs {name}, which is not installed; install all its "
                'requirements: pip install "formicary[bench]"',
                name=name,
            )


sys.meta_path.append(_LastFinder)


def need_libraries() -> None:
    """Make sure that the laboratory's libraries are installed, without loading them.

    Raises:
        LibraryMissingError: one of them is not.
    """
    for name in _LIBRARIES:
        find_spec(name)


def load(run: str | PathLike[str]) -> pd.DataFrame:
    """Return the figures of a run as a DataFrame: one figure of one repetition in each line.

    Returns:
        A frame with what was measured (`experiment`, `platform`, `kind`, `placement`, `route` and so on), a
        column for each parameter, `repetition`, `seed`, `metric`, `unit` and `value`.

    Raises:
        UsageError: There is no such run, or its raw values are missing or broken.
        LibraryMissingError: pandas, or what the laboratory reads runs with, is not installed.
    """
    from pathlib import Path

    from formicary_bench.results.long import table
    from formicary_bench.results.store.folder import RunFolder

    found = table(RunFolder.open(Path(run)))
    try:
        return found.to_pandas()
    except ModuleNotFoundError as error:
        raise LibraryMissingError(
            "pandas is not installed: pip install 'formicary[bench,notebooks]', or use formicary "
            "bench report RUN --format parquet --to run.parquet",
            name="pandas",
        ) from error
