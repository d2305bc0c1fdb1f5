"""The answers of a host agent: windows, counters, the machine, the XMPP server."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary.processes.lines import encode
from formicary.processes.requests import Answer, Refusal
from formicary_bench.remote.host_agent import protocol
from formicary_bench.remote.host_agent.counters import look

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from formicary.processes.requests import Request
    from formicary.profiling.model.profile import Profile
    from formicary_bench.worker.windows import Sampled, Unsampled


class Answers:
    """Answers questions in threads: some take seconds, and the controller must be heard meanwhile."""

    def __init__(self, interface: str, folder: Path) -> None:
        self._interface = interface
        self._folder = folder
        self._windows: dict[int, tuple[Sampled | Unsampled, ExitStack]] = {}
        self._stop_server: Callable[[], object] | None = None
        # A thread that stays: the system ends the server with the thread that started it.
        self._serving = ThreadPoolExecutor(1, "server")

    async def answer(self, request: Request[protocol.AnyQuestion]) -> Answer[object] | Refusal:
        """Answer or refuse a request."""
        is_of_server = isinstance(request.order, protocol.StartServer | protocol.StopServer)
        loop = asyncio.get_running_loop()
        try:
            result = await loop.run_in_executor(
                self._serving if is_of_server else None, self._result, request.order
            )
        except Exception as error:  # noqa: BLE001 -- whatever it is, the controller has to know
            return Refusal.of(request.number, error)
        return Answer(request.number, result)

    async def end(self) -> None:
        """Close all windows, and end the server."""
        loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._close_windows)
        await loop.run_in_executor(self._serving, self._end_server)

    def _result(self, question: protocol.AnyQuestion) -> object:
        match question:
            case protocol.Look(pids):
                return look(self._interface, pids)
            case protocol.Describe():
                from formicary_bench.results.store.machine import collect_machine

                return collect_machine()
            case protocol.OpenWindow(number, pid, servers):
                return self._open_window(number, pid, servers)
            case protocol.CloseWindow(number):
                return self._close_window(number)
            case protocol.StartServer(files, options):
                return self._start_server(files, options)
            case protocol.StopServer():
                self._end_server()
        return None

    def _open_window(self, number: int, pid: int, servers: tuple[int, ...]) -> str:
        from formicary_bench.worker.windows import window_on

        undo = ExitStack()
        window = undo.enter_context(window_on(pid, servers))
        self._windows[number] = window, undo
        return window.refused

    def _close_window(self, number: int) -> Profile:
        if number not in self._windows:
            raise UsageError(f"there is no window {number}")
        window, undo = self._windows.pop(number)
        with undo:
            profile = window.end()
        if (size := len(encode(profile))) >= protocol.LONGEST_LINE:
            raise UsageError(f"the profile has {size >> 20} MiB; profile for a shorter time")
        return profile

    def _close_windows(self) -> None:
        while self._windows:
            self._windows.popitem()[1][1].close()

    def _start_server(self, files: dict[str, bytes], options: dict[str, Any]) -> protocol.About:
        from formicary_bench.remote.host_agent.servers import serve

        about, self._stop_server = serve(files, options, self._folder)
        return about

    def _end_server(self) -> None:
        stop, self._stop_server = self._stop_server, None
        if stop is not None:
            stop()
