"""Runs a program with exact accounting while it has a container open, where py-spy is not permitted.

`python -m formicary.profiling.accounted FILE PROGRAM...` writes the profile to the file, as JSON.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.container.following import following
from formicary.core.files import replacing
from formicary.profiling.accounting.accounting import Accounting, accounting
from formicary.profiling.model.profile import encode
from formicary.profiling.sampling.child import run_program

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from formicary.container.container import Container
    from formicary.profiling.model.profile import Profile

    Follow = Callable[[Container], Awaitable[None]]


class Watch:
    """Accounts from the first container's opening in the process until the last one closes.

    Attributes:
        profiles: the profile of each period with open containers.
    """

    def __init__(self) -> None:
        self.profiles: list[Profile] = []
        self._open: set[Container] = set()
        self._account: Accounting | None = None
        self._is_beginning = False

    async def opened(self, container: Container) -> None:
        """Start accounting when the first container has opened."""
        self._open.add(container)
        if self._account is None and not self._is_beginning:
            self._is_beginning = True  # the rehearsal opens a container, too
            try:
                self._account = await accounting(container).__aenter__()
            finally:
                self._is_beginning = False

    async def closing(self, container: Container) -> None:
        """Stop accounting when the last container is about to close."""
        self._open.discard(container)
        if self._account is not None and not self._open:
            account, self._account = self._account, None
            await account.__aexit__(None, None, None)
            self.profiles.append(account.profile())

    def profile(self) -> Profile | None:
        """Return the profile of the longest period with containers, None if there was none."""
        if not self.profiles:
            return None
        longest = max(self.profiles, key=lambda profile: profile.window_s)
        if len(self.profiles) == 1:
            return longest
        warning = (
            f"the program had containers open {len(self.profiles)} times; this is the longest "
            f"period, {longest.window_s:.1f} s"
        )
        return replace(longest, warnings=(*longest.warnings, warning), is_partial=True)


@contextlib.contextmanager
def watched() -> Iterator[Watch]:
    """Account for containers that open and close while the block lasts."""
    watch = Watch()
    with following(watch.opened, watch.closing):
        yield watch


def main(output: Path, command: Sequence[str]) -> None:
    """Run a program, and exit as it does.

    Args:
        output: the file for the profile; not written if the program never had a container.
        command: the program, as of `formicary profile`.
    """
    with watched() as watch:
        try:
            run_program(command)
        finally:
            profile = watch.profile()
            if profile is not None:
                with replacing(output) as temporary:
                    temporary.write_bytes(encode(profile))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
