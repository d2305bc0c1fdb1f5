"""A driver that does all well up to the moment that its first argument names, and something else then."""

import json
import os
import signal
import socket
import sys
import time
from array import array

MODE = sys.argv[1]
NOW = time.perf_counter_ns
FOR_EVER = 600
HELLO = {
    "protocol": 1,
    "experiments": ["messaging/pairs"],
    "placements": ["same-container"],
    "version": "1.0",
    "name": "bad",
}
CHANGED = {
    "is-newer": {"protocol": 2},
    "has-changed": {"version": "2.0"},
    "echoes-and-dies": {"placements": ["same-container", "two-containers"]},
    "uses-the-server": {"placements": ["two-containers"], "server": True},
}


def say(kind, **values):
    print(json.dumps({"type": kind, **values}), flush=True)


def hang():
    time.sleep(FOR_EVER)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def die(words):
    return lambda: sys.exit(words)


def talk(line):
    def write():
        sys.stdout.buffer.write(line)
        sys.stdout.flush()

    return write


def leave_a_child():
    """Start a background process in its own session that nobody waits for."""
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in (0, 1, 2):
            os.close(number)
        hang()
        os._exit(0)
    os.wait()


def leave_a_child_and_hang():
    leave_a_child()
    hang()


def report_for_ever():
    while True:
        say("progress", done=7)
        time.sleep(0.01)


def count_for_ever():
    for number in range(10**9):
        say("progress", done=number)


def be_done_and_die():
    say("done")
    sys.exit("the disk was full")


AT_ONCE = {
    "says-nothing": hang,
    "ends-at-once": die("no licence was found"),
    "is-killed-at-once": kill,
    "talks": talk(b"Welcome to the platform!\n"),
    "never-ends-its-line": talk(b"x" * (1 << 21)),
}
AFTER_HELLO = {"dies-after-its-hello": die("cannot go on")}
PREPARING = {
    "hangs-preparing": hang,
    "prepares-for-ever": count_for_ever,
    "dies-preparing": die("out of memory"),
    "is-killed-preparing": kill,
    "leaves-a-child": leave_a_child,
    "leaves-a-child-and-hangs": leave_a_child_and_hang,
    "refuses": lambda: say("failed", reason="there is no\nroom for agents.\x1b[0m"),
    "is-done-too-early": lambda: say("done"),
    "says-hello-again": lambda: say("hello", **HELLO),
    "says-no-text": talk(b'{"type": "ready", "endpoint": "\xff\xfe"}\n'),
    "says-what-nobody-knows": talk(b'{"type": "dance"}\n'),
    "says-no-object": talk(b"[1, 2, 3]\n"),
    "says-nothing-in-a-line": talk(b"\n"),
    "says-it-with-another-type": talk(b'{"type": "ready", "endpoint": 7}\n'),
    "has-done-less-than-nothing": talk(b'{"type": "progress", "done": -1}\n'),
    "has-done-more-than-counts": talk(b'{"type": "progress", "done": 9007199254740993}\n'),
    "says-too-much": talk(b"x" * (1 << 21) + b"\n"),
}
GOING = {
    "is-killed": kill,
    "dies": die("lost the other agents"),
    "hangs": hang,
    "echoes-and-dies": hang,
    "reports-for-ever": report_for_ever,
    "counts-for-ever": count_for_ever,
    "is-done-and-dies": be_done_and_die,
}
TOLD_TO_END = {"stays": hang, "ends-badly": die("could not clean up")}


def do(actions):
    """Misbehave, if this is the moment at which this driver does."""
    actions.get(MODE, lambda: None)()


def prepare(job):
    do(PREPARING)
    if MODE == "uses-the-server" and job["role"] == "ask":
        server = job["server"]
        socket.create_connection((server["host"], server["port"])).close()
        assert server["password"] not in " ".join(sys.argv)
    say("ready")
    if MODE == "echoes-and-dies" and job["role"] == "echo":
        sys.exit("the echo has died")


def write_nothing(path):
    pass


def write_a_link(path):
    os.symlink(path + ".really", path)
    open(path, "wb").close()


INSTEAD_OF_A_FILE = {
    "writes-nothing": write_nothing,
    "writes-a-link": write_a_link,
    "makes-a-pipe": os.mkfifo,
    "makes-a-folder": os.mkdir,
}


def spoil(starts, rtts):
    if MODE == "goes-back-in-time":
        rtts[0] = -1
    elif MODE == "overlaps":
        rtts[0] = 15
    elif MODE == "has-another-unit":
        rtts[-1] = 10**15
    elif MODE == "writes-half":
        rtts.pop()
    elif MODE == "writes-too-much":
        rtts.append(5)
    elif MODE == "counts-beyond-its-bits":  # one step further than the largest number is the smallest
        starts[:] = [2**63 - 1, *range(-(2**63) + 9, -(2**63) + 10 * (len(starts) - 1), 10)]


def write(job):
    start, trips = NOW(), sum(job["rounds"])
    starts, rtts = [start + 10 * number for number in range(trips)], [5] * trips
    spoil(starts, rtts)
    with open(job["times"], "wb") as file:
        for _ in range(job["pairs"]):
            array("q", [*starts, *rtts]).tofile(file)


def go(job):
    do(GOING)
    INSTEAD_OF_A_FILE.get(MODE, lambda _: write(job))(job["times"])
    time.sleep(0.001)  # so that the round trips have been made in the time that they claim
    say("done")


def main():
    do(AT_ONCE)
    say("hello", **(HELLO | CHANGED.get(MODE, {})))
    do(AFTER_HELLO)
    for line in sys.stdin:
        order = json.loads(line)
        if order["type"] == "prepare":
            job = order
            prepare(job)
        elif order["type"] == "go":
            go(job)
        elif order["type"] == "stop":
            do(TOLD_TO_END)
            break


main()
