"""A program whose split is known, and whose threads wait most of the time, in the standard library.

Arguments: the ways of waiting, with commas, at the same time; seconds of CPU for each; and a file for the
seconds of each group, and of `waits`: what `Condition.wait` itself has used.
"""

from __future__ import annotations

import asyncio
import collections
import json
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import uvloop
import work_agents
import work_communication
import work_directory
import work_platform

PERIOD = 0.02  # seconds: 50 Hz
SLICE = 0.004  # seconds of CPU in each period
SHORT = 0.0005  # seconds of a timer, and of CPU between two
used: collections.Counter[str] = collections.Counter()
lock = threading.Lock()


def work(name, module, seconds=SLICE):
    before = time.thread_time()
    module.python(before + seconds)
    with lock:
        used[name] += time.thread_time() - before


def pool(rounds):
    with ThreadPoolExecutor(3) as executor:
        for number in range(rounds):
            executor.submit(work, *(("agents", work_agents), ("platform", work_platform))[number % 4 == 0])
            time.sleep(PERIOD)


def queued(rounds):
    jobs = queue.Queue()

    def worker():
        while jobs.get():
            work("communication", work_communication)

    thread = threading.Thread(target=worker)
    thread.start()
    for _ in range(rounds):
        jobs.put(1)
        time.sleep(PERIOD)
    jobs.put(0)
    thread.join()


def condition(rounds):
    never = threading.Condition()
    for _ in range(rounds):
        with never:
            before = time.thread_time()
            never.wait(PERIOD)
            used["waits"] += time.thread_time() - before
        work("directory", work_directory)


async def timers(rounds):
    for number in range(rounds):
        work(*(("agents", work_agents), ("directory", work_directory))[number % 3 == 0])
        await asyncio.sleep(PERIOD - SLICE)


def loop(rounds):
    asyncio.run(timers(rounds))


def uv(rounds):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(timers(rounds))


async def short_timers(end):
    before = time.thread_time()
    while time.thread_time() < end:
        work("agents", work_agents, SHORT)
        await asyncio.sleep(SHORT)
    used["runtime"] += time.thread_time() - before - used["agents"]


def often(rounds):
    asyncio.run(short_timers(time.thread_time() + rounds * SLICE))


def main() -> None:
    ways = {"pool": pool, "queued": queued, "condition": condition, "loop": loop, "uv": uv, "often": often}
    rounds = round(float(sys.argv[2]) / SLICE)
    threads = [threading.Thread(target=ways[name], args=(rounds,)) for name in sys.argv[1].split(",")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    Path(sys.argv[3]).write_text(json.dumps(used))


main()
