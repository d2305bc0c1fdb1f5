"""The laboratory: what agent communication costs, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

CPU_GROUP = "runtime"

__all__ = ["load"]


def load(run: str | PathLike[str]) -> pd.DataFrame:
    """Return the figures of a run as a DataFrame: one figure of one repetition in each line.

    Args:
        run: The folder of the run.

    Returns:
        A frame with what was measured (`experiment`, `platform`, `kind`, `placement`, `route` and so on), a
        column for each parameter, `repetition`, `seed`, `metric`, `unit` and `value`.

    Raises:
        UsageError: There is no such run, or its raw values are missing or broken.
        FormicaryError: pandas is not installed.
    """
    from pathlib import Path

    from formicary.errors import FormicaryError
    from formicary_bench.results.long import table
    from formicary_bench.results.store.folder import RunFolder

    found = table(RunFolder.open(Path(run)))
    try:
        return found.to_pandas()
    except ModuleNotFoundError as error:
        raise FormicaryError(
            "pandas is not installed: pip install 'formicary[notebooks]', or take "
            "formicary bench report RUN --format parquet --to run.parquet"
        ) from error
