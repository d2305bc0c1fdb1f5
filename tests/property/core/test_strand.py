"""Any program behaves the same as a behaviour's strand and as an asyncio task."""

from __future__ import annotations

import asyncio
import itertools
import math
import sys
from contextlib import suppress

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.property.searches import at_first

from formicary.core.scheduler import Scheduler
from formicary.core.strand import Strand
from formicary.testing import run_virtual

# A program is a list of steps of one coroutine; others cancel it from outside at given times.
times = st.sampled_from([0.5, 1, 1.5, 2, 3])
messages = st.sampled_from([None, "one", "two"])
simple = st.one_of(
    st.tuples(st.just("sleep"), st.just(0) | times),
    st.tuples(st.just("wait"), times),  # for a future that somebody sets
    st.tuples(st.just("fail"), times),  # for a future that gets an exception
    st.tuples(st.just("cancel itself"), messages),
    st.tuples(st.just("uncancel")),
    st.tuples(st.just("raise"), st.sampled_from(["ValueError", "CancelledError"])),
    st.tuples(st.just("return")),
)
steps = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.tuples(st.just("timeout"), times, st.lists(inner, max_size=3)),
        st.tuples(st.just("wait_for"), times, st.lists(inner, max_size=3)),
        st.tuples(st.just("group"), st.lists(inner, max_size=2), st.lists(inner, max_size=3)),
        st.tuples(st.just("gather"), st.lists(inner, max_size=2), st.lists(inner, max_size=2)),
        st.tuples(st.just("shield"), st.lists(inner, max_size=2)),
        st.tuples(st.just("catch"), st.lists(inner, max_size=3), st.booleans()),
        st.tuples(st.just("finally"), st.lists(inner, max_size=2), st.lists(inner, max_size=2)),
    ),
    max_leaves=8,
)
programs = st.lists(steps, min_size=1, max_size=5)
cancellations = st.lists(st.tuples(st.floats(0.001, 5), messages), max_size=3)


def spread(program, numbers):
    """Insert pauses before all steps, of such lengths that no two events happen at the same time.

    Simultaneous events may happen in another order, as a strand resumes in the same turn of the loop.
    """
    for name, *arguments in program:
        number = next(numbers)
        changed = [
            list(spread(argument, numbers))
            if isinstance(argument, list)
            else argument + math.sqrt(1000 + number) / 50
            if isinstance(argument, int | float) and not isinstance(argument, bool) and argument
            else argument
            for argument in arguments
        ]
        yield math.sqrt(2 + number) / 50, name, changed


class ReturnNow(Exception):  # noqa: N818 -- it is no error
    """Ends a program."""


class Interpreter:
    """Runs a program, and records what it sees."""

    def __init__(self):
        self.seen = []

    def note(self, *what):
        task = asyncio.current_task()
        self.seen.append((asyncio.get_running_loop().time(), *what, task.cancelling()))

    async def run(self, program):
        for pause, name, arguments in program:
            await asyncio.sleep(pause)
            self.note(name)
            try:
                await getattr(self, "do_" + name.replace(" ", "_"))(*arguments)
            except BaseException as error:
                self.note(name, type(error).__name__, error.args if name != "group" else ())
                raise

    async def do_sleep(self, pause):
        await asyncio.sleep(pause)

    async def do_wait(self, pause):
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        loop.call_later(pause, lambda: future.done() or future.set_result(None))
        await future

    async def do_fail(self, pause):
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        loop.call_later(pause, lambda: future.done() or future.set_exception(ValueError("failed")))
        await future

    async def do_cancel_itself(self, message):
        asyncio.current_task().cancel(message)

    async def do_uncancel(self):
        # While a cancellation is due and was not raised yet, tasks before Python 3.13 raise it all the same.
        await asyncio.sleep(0)
        asyncio.current_task().uncancel()

    async def do_raise(self, name):
        raise {"ValueError": ValueError, "CancelledError": asyncio.CancelledError}[name]("raised")

    async def do_return(self):
        raise ReturnNow

    async def do_timeout(self, pause, body):
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self.run(body)

    async def do_wait_for(self, pause, body):
        with suppress(TimeoutError):
            await asyncio.wait_for(self.run(body), pause)

    async def do_group(self, other, body):
        with suppress(BaseExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(self.run(other))
                await self.run(body)

    async def do_gather(self, one, two):
        results = await asyncio.gather(self.run(one), self.run(two), return_exceptions=True)
        self.note("gathered", [type(result).__name__ for result in results])

    async def do_shield(self, body):
        task = asyncio.ensure_future(self.run(body))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(task)

    async def do_catch(self, body, uncancel):
        try:
            await self.run(body)
        except (ValueError, asyncio.CancelledError):
            if uncancel:
                await self.do_uncancel()

    async def do_finally(self, body, then):
        try:
            await self.run(body)
        finally:
            await self.run(then)


class Nobody:
    """Owns the strand."""

    def give_back(self, message):
        raise AssertionError

    def strand_ended(self, strand):
        pass

    def strand_name(self):
        return "strand"


def outcome(make, program, cancels):
    interpreter = Interpreter()
    program = list(spread(program, itertools.count()))

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: None)
        task = make(interpreter.run(program))
        # Those of one moment by one timer: a loop keeps timers of the same time in no order.
        for when in {when for when, _ in cancels}:
            together = [message for moment, message in cancels if moment == when]
            loop.call_at(when, lambda together=together: interpreter.seen.extend(map(task.cancel, together)))
        await asyncio.wait([task])
        await asyncio.sleep(10)
        end = "cancelled" if task.cancelled() else repr(task.exception())
        try:
            await task
        except BaseException as error:  # noqa: BLE001 -- that is what is compared
            end += repr(error)
        return end, task.cancelling(), asyncio.current_task().cancelling()

    return run_virtual(main()), interpreter.seen


if sys.version_info >= (3, 13):
    Task = asyncio.Task
else:

    class Task(asyncio.tasks._PyTask):
        """A task of this Python, except where strands behave as in Python 3.13 on all versions."""

        def uncancel(self):
            left = super().uncancel()
            if not left:
                self._must_cancel = False
            return left


def as_task(coroutine):
    return Task(coroutine, loop=asyncio.get_running_loop())


def as_strand(coroutine):
    queue = Scheduler(100, lambda *_: None, lambda *_: None, lambda *_: None)
    return Strand(coroutine, queue, Nobody())


@at_first(80, 2 * settings.default.max_examples)
@given(programs, cancellations)
@example([("timeout", 0.5, [("catch", [("wait", 0.5)], True), ("cancel itself", None)])], [])
def test_a_program_does_the_same_as_a_strand_and_as_a_task(program, cancels):
    assert outcome(as_strand, program, cancels) == outcome(as_task, program, cancels)
