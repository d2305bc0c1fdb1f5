"""What workers are given in these tests."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path


class ShopError(Exception):
    def __init__(self, what, price):
        super().__init__(what, price)
        self.price = price


class UnreadableError(Exception):
    def __init__(self, what, price):
        super().__init__(f"{what} for {price}")


def add(one, other=0):
    return one + other


def worker():
    return os.getpid()


def thread():
    return threading.current_thread().name


def fail(price):
    raise ShopError("sold out", price)


def fail_unreadably():
    raise UnreadableError("chair", 7)


def fail_unsendably():
    raise ShopError(threading.Lock(), 7)


def lock():
    return threading.Lock()


def say_and_never_return(path):
    Path(path).write_text(str(os.getpid()), encoding="utf-8")
    while True:
        time.sleep(3600)


def leave_children_and_never_return(forked, started, path):
    if (pid := os.fork()) == 0:
        time.sleep(3600)
    Path(forked).write_text(str(pid), encoding="utf-8")
    os.system(f"sleep 3600 & echo $! > {started}")
    say_and_never_return(path)


def kill_worker(number=signal.SIGKILL):
    os.kill(os.getpid(), number)


def leave():
    os._exit(7)


def meet(folder, name, count):
    """Return when so many workers have come to a folder."""
    Path(folder, name).touch()
    while len(list(Path(folder).iterdir())) < count:
        time.sleep(0.001)
    return os.getpid()


class Tool:
    def use(self, times):
        return "used" * times


async def later():
    return None
