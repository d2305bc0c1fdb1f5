"""A run on disk: a folder with `manifest.json`, `raw/*.parquet`, and the reports made from them.

The manifest is rewritten after every repetition, as a whole and after the raw values it names. So at any
moment, and after any interruption, the folder holds everything measured so far and is marked as partial.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import replacing
from formicary.core.quoting import shorten
from formicary.errors import FormicaryError, UsageError
from formicary_bench.experiments.registry import own_types
from formicary_bench.files.refusals import next_step
from formicary_bench.results.store.model import FORMAT_VERSION, Manifest
from formicary_bench.results.store.raw import is_whole, read_raw, write_raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from formicary.profiling.model.profile import Profile
    from formicary_bench.results.store.model import Clock, Repetition
    from formicary_bench.results.store.raw import AnyRaw, Raw

MANIFEST = "manifest.json"
RAW = "raw"
PROFILES = "profiles"
REPORT = "report.html"
RUNS = Path("runs")
"""The default folder of runs."""


_OWN = re.compile(r"\.[^/]+\.\d+\.part|\d{4,}-[^/]+\.(parquet|json)")
"""Names of files that runs make; others are left alone."""


class _Versioned(msgspec.Struct):
    """The part of a manifest that every format has."""

    format_version: int
    formicary: str = ""


class RunFolder:
    """A run: its manifest in memory, its files in `path`.

    Made by `create` or `open`.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def create(
        cls, manifest: Manifest, path: Path | None = None, *, base: Path = RUNS, label: str = "run"
    ) -> RunFolder:
        """Make the folder of a new run.

        Args:
            manifest: the manifest before the first repetition; see `machine.begin_manifest`.
            path: the folder; None for a new one named after the time and `label`.
            base: the parent of such a new one.
            label: the end of its name: the experiment, or `quick`.

        Raises:
            UsageError: the folder exists already, or cannot be created.
        """
        folder = path or _unused(base, manifest.started, label)
        with _writing(folder):
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                raise UsageError(
                    f"{folder} already exists and is not overwritten: choose another folder, or remove it"
                ) from None
            run = cls(folder, manifest)
            try:
                (folder / RAW).mkdir()
                run._save(manifest)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        return run

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open the folder of a run that is finished, interrupted, or still running.

        Raises:
            UsageError: it is not a run's folder, is broken, or has a format that this version does not read.
        """
        if not path.exists():
            raise UsageError(f"no folder {path}: specify the folder of a run, which contains {MANIFEST}")
        try:
            text = (path / MANIFEST).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise UsageError(
                f"{path} is not the folder of a run: it has no {MANIFEST}; specify a folder that a run made"
            ) from None
        except OSError as error:
            raise UsageError(
                f"{path / MANIFEST} cannot be read ({error.strerror}): check its permissions"
            ) from error
        return cls(path, _decode(path, text))

    def add(
        self, repetition: Repetition, data: AnyRaw, profiles: Mapping[str, Profile] | None = None
    ) -> Repetition:
        """Store a repetition: first its raw values and profiles, then the manifest that names them.

        Returns:
            The repetition as kept.

        Raises:
            FormicaryError: it cannot be written; the folder is unchanged.
        """
        about = {"configuration": repetition.configuration, "repetition": str(repetition.number)}
        kept = msgspec.structs.replace(repetition, raw=self._file_name(repetition))
        with _writing(self.path):
            write_raw(self.path / RAW / kept.raw, data, about)
            kept = self._keep_profiles(kept, profiles or {})
            self._save(msgspec.structs.replace(self.manifest, repetitions=(*self.manifest.repetitions, kept)))
        return kept

    def _keep_profiles(self, kept: Repetition, profiles: Mapping[str, Profile]) -> Repetition:
        from formicary.profiling.model.profile import encode

        names = {role: f"{Path(kept.raw).stem}-{role}.json" for role in profiles}
        if names:
            (self.path / PROFILES).mkdir(exist_ok=True)
        for role, name in names.items():
            with replacing(self.path / PROFILES / name) as temporary:
                temporary.write_bytes(encode(profiles[role]))
        return msgspec.structs.replace(kept, profiles=names)

    def profiles(self, repetition: Repetition) -> dict[str, Profile]:
        """Read the profiles of a repetition; raises UsageError if they are broken."""
        from formicary.profiling.model.profile import decode

        found = {}
        for role, name in repetition.profiles.items():
            path = self.path / PROFILES / self._own_name(name)
            try:
                found[role] = decode(path.read_bytes(), path)
            except OSError as error:
                raise UsageError(
                    f"the profile {path} cannot be read ({error.strerror}): copy the whole run folder"
                ) from error
        return found

    def _own_name(self, name: str) -> str:
        if Path(name).name != name or name in {"", "..", "."}:
            raise UsageError(
                f"{self.path / MANIFEST} names the file {name!r}, which is none of the folder's own: fetch "
                "the run folder again"
            )
        return name

    def finish(
        self,
        *,
        complete: bool = True,
        load_after: tuple[float, float, float] | None = None,
        clocks: Mapping[str, Clock] | None = None,
    ) -> None:
        """Record the end of the run.

        Args:
            complete: whether everything planned was measured; False marks a partial run.
            load_after: the load averages at its end.
            clocks: how far the hosts' clocks are ahead of this machine's.

        Raises:
            FormicaryError: The manifest cannot be written; the run stays marked as partial.
        """
        with _writing(self.path):
            self._save(
                msgspec.structs.replace(
                    self.manifest,
                    complete=complete,
                    finished=datetime.now(UTC),
                    load_after=load_after,
                    clocks=dict(clocks or {}),
                )
            )

    def forget_lost(self) -> int:
        """Drop repetitions whose raw values are incomplete, and return their number.

        This is written with the next stored repetition.
        """
        kept = tuple(one for one in self.manifest.repetitions if is_whole(self.raw_path(one)))
        lost = len(self.manifest.repetitions) - len(kept)
        self.manifest = msgspec.structs.replace(self.manifest, repetitions=kept)
        return lost

    def proceed(self) -> None:
        """Continue an interrupted run: mark it as partial, and remove half-written files.

        Raises:
            FormicaryError: The manifest cannot be written.
        """
        known = {one.raw for one in self.manifest.repetitions}
        known |= {name for one in self.manifest.repetitions for name in one.profiles.values()}
        resumed = (*self.manifest.resumed, datetime.now(UTC))
        with _writing(self.path):
            for path in [
                *self.path.glob(".*.part"),
                *self.path.glob(f"{RAW}/*"),
                *self.path.glob(f"{PROFILES}/*"),
            ]:
                if path.name not in known and _OWN.fullmatch(path.name):
                    path.unlink()
            (self.path / RAW).mkdir(exist_ok=True)
            changes = {"finished": None, "complete": False, "resumed": resumed}
            self._save(msgspec.structs.replace(self.manifest, **changes))

    def discard(self) -> None:
        """Remove the folder if nothing was measured."""
        if self.manifest.repetitions:
            return
        (self.path / MANIFEST).unlink(missing_ok=True)
        for folder in (self.path / RAW, self.path):
            folder.rmdir()

    def raw_path(self, repetition: Repetition) -> Path:
        """Return the file of a repetition's raw values.

        Raises:
            UsageError: The manifest names a file outside the folder.
        """
        return self.path / RAW / self._own_name(repetition.raw)

    def raw(self, repetition: Repetition, kind: type[Raw]) -> Raw:
        """Read a repetition's raw values of a kind.

        Raises:
            UsageError: They are missing or broken.
        """
        return read_raw(self.raw_path(repetition), kind)

    def write_text(self, name: str, text: str) -> Path:
        """Write a report into the folder, replacing an older one of that name.

        Raises:
            FormicaryError: it cannot be written; an older one is unchanged.
        """
        with _writing(self.path), replacing(self.path / name) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
        return self.path / name

    def _file_name(self, repetition: Repetition) -> str:
        # The count keeps names apart, and in the order of the run; file systems take 255 bytes.
        place = len(self.manifest.repetitions) + 1
        return f"{place:04}-{_slug(repetition.configuration)[:200]}-{repetition.number}.parquet"

    def _save(self, manifest: Manifest) -> None:
        with replacing(self.path / MANIFEST) as temporary:
            temporary.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        self.manifest = manifest


def _decode(path: Path, text: bytes) -> Manifest:
    """Read a manifest, its version first, since a newer one may differ in everything else."""
    try:
        known = msgspec.json.decode(text, type=_Versioned)
        version = known.format_version
        if version < FORMAT_VERSION:
            raise UsageError(
                f"{path} was made by formicary {shorten(known.formicary)} in format {version}, and this "
                f"version reads format {FORMAT_VERSION}: look at it with the version that made it, or run it "
                "again"
            )
        if version > FORMAT_VERSION:
            raise UsageError(
                f"{path} was made by a newer formicary (format {version}; this one reads up to "
                f"{FORMAT_VERSION}): upgrade with `pip install --upgrade formicary`"
            )
        manifest = msgspec.json.decode(text, type=Manifest)
        _check_parameters(manifest)
        return manifest
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the manifest {path / MANIFEST} is broken ({error}): fetch the folder again, or run again"
        ) from error


def _check_parameters(manifest: Manifest) -> None:
    """Check the types of parameters that an experiment declares; ignore others."""
    types = own_types()
    for configuration in manifest.configurations:
        for name in types.keys() & configuration.parameters.keys():
            msgspec.convert(configuration.parameters[name], types[name])


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn the system's refusals to write into one sentence."""
    try:
        yield
    except OSError as error:
        # The Parquet writer has a long text of its own for each of the system's reasons.
        reason = os.strerror(error.errno) if error.errno else str(error)
        kind = UsageError if isinstance(error, PermissionError | NotADirectoryError) else FormicaryError
        raise kind(
            f"the run folder {path} cannot be written ({reason}): {next_step(error, 'choose another place')}"
        ) from error


def _unused(base: Path, started: datetime, label: str) -> Path:
    """Return the name of a folder that does not exist yet."""
    stem = f"{started:%Y-%m-%dT%H-%M-%S}-{_slug(label)}"
    names = [stem, *(f"{stem}-{n}" for n in range(2, 100))]
    return next((base / name for name in names if not (base / name).exists()), base / stem)


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.") or "run"
