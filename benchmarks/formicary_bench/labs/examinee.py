"""The judge's handle on the program's process: gives orders, and takes reports."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from formicary.errors import FormicaryError
from formicary.processes.requests import Answer, Refusal, Request, Requests
from formicary.testing import VirtualClockLoop
from formicary_bench.labs import exchange
from formicary_bench.labs.programs import Broken

if TYPE_CHECKING:
    from collections.abc import Callable


class Gone(Broken):
    """The program's process has ended or can no longer be trusted."""


class Examinee:
    """A student's program in another process.

    Attributes:
        is_gone: whether the process can no longer be used.
        from_program: called with each frame that one of the program's containers sends.
    """

    def __init__(self, line: exchange.Line[exchange.Order, exchange.Report], how: Callable[[], str]) -> None:
        self.is_gone = False
        self.from_program: Callable[[exchange.Frame], None] = lambda _: None
        self._line = line
        self._how = how
        self._reset()

    def _reset(self) -> None:
        self._is_over = False
        self._timer: float | None = None
        self._fault: Exception | None = None
        self._frames: list[exchange.Frame] = []
        self._tasks: list[Request[exchange.Task]] = []
        self._requests: Requests[exchange.Task, Any] = Requests(self._tasks.append)
        self._answers: list[exchange.Answered] = []
        self._offered: dict[str, Callable[..., Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()

    # -- a scenario -----------------------------------------------------------------------------------------

    def loaded(self) -> str:
        """Wait until the program has been loaded; return what is wrong with it, or an empty string."""
        report = self._receive()
        if isinstance(report, exchange.Loaded):
            return report.problem
        raise self._nonsense("it sent unexpected data")

    def begin(self, seed: int, seconds: float) -> None:
        self._reset()
        self._heard(self._exchange(exchange.Begin(seed, seconds)))

    def finish(self) -> exchange.Final:
        """End the scenario, and return the observations of the program."""
        self.leave()
        self._send(exchange.Finish())
        while not isinstance(report := self._receive(), exchange.Final):
            pass
        return report

    def leave(self) -> None:
        """Stop waiting for the program: the scenario is decided."""
        self._is_over = True

    def jump_target(self, loop: VirtualClockLoop, timer: float | None) -> float | None:
        """Run the program while the judge's own agents wait; return when to resume them.

        Args:
            loop: the judge's event loop.
            timer: when the first of the judge's timers is due; None if there is none.

        Raises:
            Broken: the scenario is aborted.
        """
        fault, self._fault = self._fault, None
        if fault is not None:
            self.leave()
            raise fault
        if self._is_over:
            return timer
        now, theirs = loop.time(), self._timer
        due = [at for at in (timer, theirs) if at is not None]
        if not due and not self._has_news():
            return None
        at = now if self._has_news() else max(now, min(due))
        if self._has_news() or (theirs is not None and theirs <= at):
            self._proceed(loop, at)
        return at

    def _has_news(self) -> bool:
        return bool(self._frames or self._tasks or self._answers)

    def _proceed(self, loop: asyncio.AbstractEventLoop, at: float) -> None:
        turn = exchange.Turn(at, tuple(self._frames), tuple(self._tasks), tuple(self._answers))
        for told in (self._frames, self._tasks, self._answers):
            told.clear()
        loop.call_soon(self._heard, self._exchange(turn))

    def _heard(self, report: exchange.Report) -> None:
        try:
            if not isinstance(report, exchange.Idle):
                self._fault = self._nonsense("it sent unexpected data")
                return
            timer = report.timer
            self._timer = timer if timer is None or timer >= 0 else 0.0  # not a number is never due
            for frame in report.frames:
                self.from_program(frame)
            for answer in report.answers:
                self._requests.settle(answer)
            for call in report.calls:
                task = asyncio.create_task(self._answer(call))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)
        except Exception as error:  # noqa: BLE001 -- it is raised where the scenario is waited for
            self._fault = self._fault or error

    # -- what it is to do -----------------------------------------------------------------------------------

    def take(self, frame: exchange.Frame) -> None:
        """Pass a frame to the program with its next turn."""
        self._frames.append(frame)

    async def do(self, what: Any, *arguments: Any) -> Any:
        """Run a task in the program's process; return its result.

        Raises:
            Broken: the task has failed.
        """
        try:
            return await self._requests.ask(exchange.Task(what, arguments))
        except FormicaryError as error:
            raise Broken(str(error)) from None

    def look(self, agent: int, attribute: str) -> Any:
        """Return the value of an agent's attribute once everything sent so far has been handled.

        Raises:
            Broken: the agent has no such attribute, or its value is not plain data.
        """
        if self._has_news():
            loop = asyncio.get_running_loop()
            self._proceed(loop, loop.time())
        report = self._exchange(exchange.Look(agent, attribute))
        if isinstance(report, Refusal):
            raise Broken(report.reason)
        if not isinstance(report, Answer):
            raise self._nonsense("it sent unexpected data")
        return report.result

    # -- what it may ask ------------------------------------------------------------------------------------

    def offer(self, **functions: Callable[..., Any]) -> list[str]:
        """Offer functions of the judge to the program; return their names."""
        self._offered.update(functions)
        return [*functions]

    async def _answer(self, request: Request[exchange.Call]) -> None:
        call = request.order
        try:
            result = await self._offered[call.name](*call.arguments)
        except Exception as error:  # noqa: BLE001 -- of what the program has given
            self._answers.append(_refusal(request, error))
        else:
            self._answers.append(Answer(request.number, result))

    def _answer_now(self, request: Request[exchange.Call]) -> exchange.Answered:
        call = request.order
        try:
            return Answer(request.number, self._offered[call.name](*call.arguments))
        except Exception as error:  # noqa: BLE001 -- of what the program has given
            return _refusal(request, error)

    # -- the line -------------------------------------------------------------------------------------------

    def _exchange(self, order: exchange.Order) -> exchange.Report:
        self._send(order)
        while isinstance(report := self._receive(), Request):
            self._send(self._answer_now(report))
        if isinstance(report, exchange.Over):
            self.leave()
            self.is_gone = report.hangs
            raise Broken(report.problem)
        return report

    def _send(self, order: exchange.Order) -> None:
        try:
            self._line.send(order)
        except TimeoutError:
            raise self._gone("the program blocked its process, which had to be killed") from None
        except OSError:
            raise self._gone(self._how()) from None

    def _receive(self) -> exchange.Report:
        try:
            return self._line.receive()
        except TimeoutError:
            raise self._gone("the program blocked its process, which had to be killed") from None
        except (OSError, EOFError):
            raise self._gone(self._how()) from None
        except ValueError as error:
            raise self._nonsense(str(error)) from None

    def _nonsense(self, why: str) -> Gone:
        return self._gone(
            f"the output of the program's process cannot be read ({why}), so nothing could be "
            "checked; does the program write to files it has not opened?"
        )

    def _gone(self, sentence: str) -> Gone:
        self.leave()
        self.is_gone = True
        return Gone(sentence)


def _refusal(request: Request[exchange.Call], error: Exception) -> Refusal:
    return Refusal(request.number, f"{type(error).__name__}: {error}")


class JudgesLoop(VirtualClockLoop):
    """The judge's event loop, whose clock the program follows.

    Args:
        examinee: the program's process.
        seed: the seed of the loop's random numbers.
    """

    def __init__(self, examinee: Examinee, seed: int) -> None:
        super().__init__(seed)
        self._examinee = examinee

    def jump_target(self, timer: float | None) -> float | None:
        """Run the program; return when to resume the judge's own agents."""
        return self._examinee.jump_target(self, timer)
