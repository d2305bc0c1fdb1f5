"""The garbage collector's CPU time, read off a clock inside a program, since a sampler cannot see it."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary.profiling.model.profile import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap
    from types import CodeType, FrameType


class GcClock:
    """Measures collections by the thread and stack that they interrupt.

    Args:
        is_open: its first byte is 1 while the window lasts; others may change it at any time.
    """

    def __init__(self, is_open: mmap) -> None:
        self._is_open = is_open
        self._began = 0
        self._spent: Counter[tuple[int, tuple[int, ...]]] = Counter()
        self._codes: dict[int, CodeType] = {}  # by identity: a code object's own hash covers all its contents

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Measure while the block lasts."""
        gc.callbacks.append(self._count)
        try:
            yield
        finally:
            gc.callbacks.remove(self._count)

    def spent(self) -> list[tuple[int, tuple[Frame, ...], float]]:
        """Return the CPU seconds for each thread and stack (outermost frame first)."""
        return [
            (tid, tuple(self._frame(code) for code in codes), nanoseconds / 1e9)
            for (tid, codes), nanoseconds in list(self._spent.items())
        ]

    def _count(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.thread_time_ns()
            return
        spent = time.thread_time_ns() - self._began
        if not self._is_open[0]:
            return
        codes = []
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 -- there is no other way to a frame
        while frame is not None:
            self._codes[id(frame.f_code)] = frame.f_code
            codes.append(id(frame.f_code))
            frame = frame.f_back
        self._spent[threading.get_native_id(), tuple(reversed(codes))] += spent

    def _frame(self, code: int) -> Frame:
        found = self._codes[code]
        return Frame(found.co_qualname, found.co_filename, found.co_firstlineno)
