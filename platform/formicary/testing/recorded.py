"""Recordings of the containers of failed tests."""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from formicary.container.following import following
from formicary.core.clock import now
from formicary.observe.collector import Subscription
from formicary.observe.events import ContainerFigures, Event, Figures, Filters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary.container.container import Container

_MESSAGES: Final = 20_000  # per container; with more, whole conversations are left out
_TICK: Final = 1e-6  # s between two events of the same time
_LIVES: Final = 10_000  # agents that came and went, and dead letters


class Kept:
    """Events of the containers that open within `with kept.followed()`."""

    def __init__(self) -> None:
        self._open: dict[Container, Subscription] = {}
        self._names: list[str] = []
        self._events: list[Event] = []
        self._time = 0.0

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Record containers of this process that open meanwhile."""
        try:
            with following(self._opened, self._closing):
                yield
        finally:
            for container in tuple(self._open):
                self._take(container)

    def _clock(self) -> float:
        """Return a time later than any before, to keep the order of events."""
        later = self._time + _TICK
        with suppress(RuntimeError):  # the event loop is gone
            later = max(now().timestamp(), later)
        self._time = later
        return later

    async def _opened(self, container: Container) -> None:
        if container in self._open:
            return
        subscription = Subscription(
            container, Filters(), _MESSAGES, with_figures=False, lives=_LIVES, clock=self._clock
        )
        self._open[container] = subscription
        self._names.append(container.name)
        host, pid = socket.gethostname(), os.getpid()
        self._events.append(
            Figures(
                subscription.clock(),
                containers=tuple(
                    ContainerFigures(name, host, pid, None, 0, 0, 0, None, 0, 0) for name in self._names
                ),
            )
        )
        container.dispatcher.add_observer(subscription)

    async def _closing(self, container: Container) -> None:
        """Do nothing: the end of its agents is recorded, too."""

    def _take(self, container: Container) -> None:
        subscription = self._open.pop(container)
        self._events += subscription.take_all()
        container.dispatcher.remove_observer(subscription)

    def write(self, path: Path) -> None:
        """Write a recording, replacing any existing one.

        Raises:
            StoreError: it cannot be written.
        """
        from formicary.observe.recording import Recorder

        path.unlink(missing_ok=True)
        recorder = Recorder(path)
        recorder.write(sorted(self._events, key=lambda event: event.at))
        recorder.close()

    @property
    def is_empty(self) -> bool:
        """Whether there was no container."""
        return not self._events


@contextmanager
def recorded(path: Path) -> Iterator[None]:
    """Record the containers of a test, and save the recording if it fails, for `formicary watch`.

        def test_the_shop_sells(tmp_path):
            with recorded(tmp_path / "shop.formicary"):
                run_virtual(main())

    It takes no time on the test's clock, and writes nothing if the block succeeds. Of more than 20 000
    messages of a container, only some conversations are kept.

    Args:
        path: the file; replaced if it exists.

    Raises:
        StoreError: it cannot be written.
    """
    kept = Kept()
    try:
        with kept.followed():
            yield
    except BaseException as error:
        kept.write(path)
        error.add_note(f"what the containers did is in {path}: formicary watch {path}")
        raise
