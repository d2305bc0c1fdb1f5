"""The raw values: one Parquet file per repetition, every round trip a row.

    pair      int32   which pair, from 0
    index     int32   the number of the round trip in its pair, from 0
    start_ns  int64   when it began, in nanoseconds since the run's start, on the sender's clock
    rtt_ns    int64   how long it took
    phase     int8    1 warm-up, 2 measured, 3 cool-down

The files of `create` have a row per batch of agents: batch (int32), agents (int64), and the seconds (float64)
and bytes (int64) to create them. Those of `memory` have a row per sample of the processes: seconds (float64)
since the load began, messages (int64) answered by then, uss_bytes (int64), the memory that the processes
alone have, and traced_bytes (int64), the memory that Python traced in a process of its own (0 if it did not).
Those of `messaging/saturation` have a row per trial of a rate, all int64: rate, kept (1 or 0), p99_ns (the
99th percentile of answers), answered, late (messages sent late) and lost. Those of `grid/swap` have a row per
number of swaps: swaps (int64), agents (int64) that made that many, refused (int64) requests of these, and
seconds (float64), the total time, which is the same in each row.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from formicary.core.files import replacing
from formicary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

WARM_UP, MEASURED, COOL_DOWN = 1, 2, 3
"""The values of the column `phase`."""


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """The round trips of one repetition, as columns of equal length; see the module for their meaning."""

    pair: NDArray[np.int32]
    index: NDArray[np.int32]
    start_ns: NDArray[np.int64]
    rtt_ns: NDArray[np.int64]
    phase: NDArray[np.int8]

    def parts(self) -> Iterator[RoundTrips]:
        """Yield the values part by part, in order, to save memory."""
        for begin in range(0, len(self.pair), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            yield RoundTrips(*(getattr(self, field.name)[part] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class Creations:
    """The batches of one repetition of `create`, as columns of equal length; see the module."""

    batch: NDArray[np.int32]
    agents: NDArray[np.int64]
    seconds: NDArray[np.float64]
    bytes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Holdings:
    """The memory of processes at each sample, as columns of equal length; see the module."""

    seconds: NDArray[np.float64]
    messages: NDArray[np.int64]
    uss_bytes: NDArray[np.int64]
    traced_bytes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of a search, as columns of equal length; see the module."""

    rate: NDArray[np.int64]
    kept: NDArray[np.int64]
    p99_ns: NDArray[np.int64]
    answered: NDArray[np.int64]
    late: NDArray[np.int64]
    lost: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tallies:
    """Agents by their number of swaps, as columns of equal length; see the module."""

    swaps: NDArray[np.int64]
    agents: NDArray[np.int64]
    refused: NDArray[np.int64]
    seconds: NDArray[np.float64]


AnyRaw = RoundTrips | Creations | Holdings | Trials | Tallies

_AT_ONCE = 2**17  # rows
_TOO_LONG = 2**60  # nanoseconds: 36 years; sums of such times stay within 64 bits

Raw = TypeVar("Raw", bound=AnyRaw)


def _types(kind: type[Any]) -> dict[str, str]:
    """Return the types of a kind's columns, as its annotations have them."""
    return {one.name: str(one.type).removeprefix("NDArray[np.").removesuffix("]") for one in fields(kind)}


def of_columns(columns: Mapping[str, Sequence[float]]) -> AnyRaw:
    """Return raw values of the kind with these columns."""
    import numpy as np

    kinds: tuple[type[AnyRaw], ...] = get_args(AnyRaw)
    (kind,) = (kind for kind in kinds if _types(kind).keys() == columns.keys())
    found: AnyRaw = kind(*(np.array(columns[name], dtype) for name, dtype in _types(kind).items()))
    return found


def write_raw(path: Path, data: AnyRaw, about: Mapping[str, str]) -> None:
    """Write the values of one repetition, completely or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    import pyarrow as pa
    from pyarrow import parquet

    types = _types(type(data))
    columns = {name: pa.array(getattr(data, name), pa.type_for_alias(kind)) for name, kind in types.items()}
    table = pa.table(columns).replace_schema_metadata(dict(about))
    with replacing(path) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def read_raw(path: Path, kind: type[Raw]) -> Raw:
    """Read the values of one repetition.

    Raises:
        UsageError: the file is missing or broken, or holds impossible values.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        # A file object: a path would be searched for partitions, and a folder read as one.
        with path.open("rb") as file:
            source = parquet.ParquetFile(file)
            data = kind(*(_column(source, name, dtype) for name, dtype in _types(kind).items()))
    except FileNotFoundError:
        raise UsageError(
            f"the raw values {path} are missing: copy the whole run folder, or run again"
        ) from None
    except (OSError, ValueError, KeyError, MemoryError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise UsageError(f"the raw values {path} cannot be read ({reason}): fetch the file again") from error
    _check(path, data)
    return data


def is_whole(path: Path) -> bool:
    """Return whether a file of raw values is complete, without reading its values."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with path.open("rb") as file:
            parquet.ParquetFile(file).close()
    except (OSError, ValueError, pa.ArrowException):
        return False
    return True


def _column(source: Any, name: str, kind: str) -> Any:
    """Read a column as an array, part by part; another type or missing values are an error."""
    import numpy as np

    found, filled = np.empty(source.metadata.num_rows, kind), 0
    for batch in source.iter_batches(_AT_ONCE, columns=[name]):
        column = batch.column(name)
        if str(column.type) not in {kind, kind.replace("float64", "double")} or column.null_count:
            raise ValueError(f"column {name} is not {kind} throughout")
        found[filled : filled + len(column)] = column.to_numpy()
        filled += len(column)
    if filled != len(found):
        raise ValueError(f"column {name} ends too early")
    return found


def _check(path: Path, data: AnyRaw) -> None:
    """Refuse impossible values: they would make nonsense of a report, or fill the memory."""
    import numpy as np

    if isinstance(data, RoundTrips):
        possible = len(data.pair) == 0 or (
            bool(data.pair.min() >= 0)
            and bool(data.pair.max() < len(data.pair))
            and bool(data.rtt_ns.min() >= 0)
            and bool(data.start_ns.min() > -_TOO_LONG)
            and bool(max(data.start_ns.max(), data.rtt_ns.max()) < _TOO_LONG)
        )
    else:
        columns = [getattr(data, field.name) for field in fields(data)]
        possible = all(bool(np.isfinite(column).all() and (column >= 0).all()) for column in columns)
    if not possible:
        raise UsageError(f"the raw values {path} are impossible: fetch the file again")
