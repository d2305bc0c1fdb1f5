"""Runs the program's side of a scenario in the program's process: its containers and their agents.

Reports from here cannot be trusted, since a program can change anything in its own process. So checks only
ask for what the program cannot know without having solved the exercise.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import threading
import warnings
from functools import partial, wraps
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from formicary import Container
from formicary.processes.requests import Answer, Refusal, Request, Requests
from formicary.testing import VirtualClockLoop
from formicary_bench.labs.exchange import Begin, Call, Final, Finish, Frame, Idle, Look, Over, Turn
from formicary_bench.labs.ports import Ports
from formicary_bench.labs.programs import unlogged, what_failed, with_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary_bench.labs.exchange import Answered, Line, Order, Report, Task
    from formicary_bench.labs.programs import Program

_PRINTED = 2000  # characters of the program's output that are kept, from its end
_SENTENCE = 2000  # characters of the longest sentence in a report
_FAILURES = 20  # at most in a report


def perform(program: Program, line: Line[Report, Order], begin: Begin) -> None:
    """Run one scenario.

    Args:
        program: the student's program.
        line: the connection to the judge.
        begin: the judge's first order.
    """
    scene = _Scene(program, line, begin.seed)
    with _quiet() as (printed, unawaited):
        try:
            with asyncio.Runner(loop_factory=partial(_Loop, scene)) as runner:
                runner.run(scene.run())
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever it is, it is said in a sentence
            scene.fail(what_failed(error, program.path))
    failures = tuple(with_code(str(each), program.path)[:_SENTENCE] for each in scene.failures[:_FAILURES])
    hint = unawaited[0][:_SENTENCE] if unawaited else ""
    line.send(Final(failures, hint, printed.getvalue()[-_PRINTED:]))


class _Loop(VirtualClockLoop):
    """An event loop that follows the judge's clock."""

    def __init__(self, scene: _Scene) -> None:
        self._scene = scene
        super().__init__(scene.seed)
        scene.loop = self

    def jump_target(self, timer: float | None) -> float | None:
        return self._scene.report(timer)


class _Scene:
    """The program's containers and agents in a scenario."""

    loop: _Loop

    def __init__(self, program: Program, line: Line[Report, Order], seed: int) -> None:
        self.seed = seed
        self.failures: list[object] = []
        self._program = program
        self._line = line
        self._speaking = threading.Lock()
        self._containers: dict[str, Container] = {}
        self._agents: list[Any] = []
        self._originals: dict[str, Any] = {}  # functions of the program that have been replaced
        self._frames: list[Frame] = []
        self._answers: list[Answered] = []
        self._calls: list[Request[Call]] = []
        self._requests: Requests[Call, Any] = Requests(self._calls.append)
        self._ports = Ports(self._frames.append)
        self._tasks: set[asyncio.Task[None]] = set()
        self._end = asyncio.Event()

    # -- taking turns ---------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Run until the judge ends the scenario."""
        try:
            await self._end.wait()
            for name in tuple(self._containers):
                await self._crash(name)
        finally:
            for name, original in self._originals.items():
                self._program.put(name, original)

    def report(self, timer: float | None) -> float | None:
        """Report to the judge that all agents wait; return when to resume."""
        if self._end.is_set():
            return timer
        self._line.send(Idle(timer, tuple(self._frames), tuple(self._answers), tuple(self._calls)))
        for said in (self._frames, self._answers, self._calls):
            said.clear()
        while True:
            match self._line.receive():
                case Turn() as turn:
                    self._begin(turn)
                    return turn.now
                case Look() as look:
                    self._look(look)
                case Finish():
                    self._finish()
                    return self.loop.time()

    def _begin(self, turn: Turn) -> None:
        for frame in turn.frames:
            self.loop.call_soon(self._ports.take, frame)
        for answer in turn.answers:
            self._requests.settle(answer)
        for each in turn.tasks:
            task = self.loop.create_task(self._do(each))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _finish(self) -> None:
        """End the scenario: what agents do from now on is not judged."""
        for container in self._containers.values():
            self.failures.extend(container.failure_log)
        self._end.set()

    def fail(self, problem: str) -> None:
        """Report to the judge that the scenario is aborted, and wait until the judge ends it."""
        if self._end.is_set():
            return
        self._finish()
        self._line.send(Over(problem[:_SENTENCE]))
        while not isinstance(self._line.receive(), Finish):
            pass

    def _look(self, look: Look) -> None:
        agent, problem = self._agents[look.agent], ""
        try:
            self._line.send(Answer(0, getattr(agent, look.attribute)))
        except AttributeError:
            problem = f"{agent.name} has no {look.attribute}, which the lab needs"
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 -- of a property, or it is no plain data
            problem = (
                f"{look.attribute} of {agent.name} cannot be read: {what_failed(error, self._program.path)}"
            )
        if problem:
            self._line.send(Refusal(0, problem[:_SENTENCE]))

    # -- what is to be done ---------------------------------------------------------------------------------

    async def _do(self, request: Request[Task]) -> None:
        task = request.order
        try:
            result = await getattr(self, f"_{task.what}")(*task.arguments)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is said in a sentence
            reason = what_failed(error, self._program.path)[:_SENTENCE]
            self._answers.append(Refusal(request.number, reason))
        else:
            self._answers.append(Answer(request.number, result))

    async def _open(self, name: str) -> None:
        container = self._containers[name] = Container(name, server=self._ports, seed=self.seed)
        await container.open()

    async def _crash(self, name: str) -> None:
        container = self._containers.pop(name)
        if not self._end.is_set():
            self.failures.extend(container.failure_log)
        if (port := self._ports.here.get(container.domain)) is not None:
            await port.close()
        await container.close()

    async def _start(
        self, home: str, kind: str, name: str, arguments: list[Any], offers: dict[int, list[str]]
    ) -> int:
        for place, names in offers.items():
            arguments[place] = SimpleNamespace(**{each: partial(self._ask, each) for each in names})
        agent = self._program.make(kind, name, *arguments)
        await self._containers[home].start(agent)
        self._agents.append(agent)
        return len(self._agents) - 1

    async def _join(self, agent: int) -> None:
        with contextlib.suppress(Exception):  # that of a behaviour is among the failures
            await self._agents[agent].join()

    async def _replace(self, name: str) -> None:
        self._originals[name] = getattr(self._program, name)
        self._program.put(name, partial(self._ask_now, name))

    async def _watch(self, name: str) -> None:
        function: Callable[..., Any] = getattr(self._program, name)
        self._originals[name] = function

        @wraps(function)
        def watched(*arguments: Any, **named: Any) -> Any:
            self._ask_now(name)
            return function(*arguments, **named)

        self._program.put(name, watched)

    # -- what the program asks the judge --------------------------------------------------------------------

    async def _ask(self, name: str, *arguments: Any) -> Any:
        """Call an asynchronous function of the judge."""
        return await self._requests.ask(Call(name, arguments))

    def _ask_now(self, name: str, *arguments: Any) -> Any:
        """Call a synchronous function of the judge."""
        with self._speaking:
            self._line.send(Request(0, Call(name, arguments)))
            answer = self._line.receive()
        if isinstance(answer, Refusal):
            raise TypeError(answer.reason)
        assert isinstance(answer, Answer)
        return answer.result


@contextlib.contextmanager
def _quiet() -> Iterator[tuple[io.StringIO, list[str]]]:
    """Capture output and warnings of coroutines that were never awaited; log nothing."""
    printed = io.StringIO()
    unawaited: list[str] = []

    def notice(message: Warning | str, category: type[Warning], file: str, line: int, *_: object) -> None:
        del category
        if "was never awaited" in str(message):
            unawaited.append(f"{message}; write `await` before it ({file.rpartition('/')[2]}, line {line})")

    with (
        unlogged(),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        warnings.showwarning = notice  # type: ignore[assignment]
        yield printed, unawaited
