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
HELLO = {
    "experiments": ["messaging/pairs"],
    "placements": ["same-container"],
    "version": "1.0",
    "name": "bad",
}
FOR_EVER = 600


def say(kind, **values):
    print(json.dumps({"type": kind, **values}), flush=True)


def die(words):
    sys.exit(words)


def begin():
    if MODE == "says-nothing":
        time.sleep(FOR_EVER)
    if MODE == "ends-at-once":
        die("no licence was found")
    if MODE == "talks":
        print("Welcome to the platform!", flush=True)
    if MODE == "never-ends-its-line":
        sys.stdout.write("x" * (1 << 21))
        sys.stdout.flush()
    if MODE == "is-newer":
        say("hello", protocol=2, **HELLO)
    if MODE == "has-changed":
        HELLO["version"] = "2.0"
    if MODE == "echoes-and-dies":
        HELLO["placements"] = ["same-container", "two-containers"]
    if MODE == "uses-the-server":
        say("hello", protocol=1, **(HELLO | {"placements": ["two-containers"], "server": True}))
    else:
        say("hello", protocol=1, **HELLO)


def prepare(job):
    if MODE == "dies-preparing":
        die("out of memory")
    if MODE == "refuses":
        say("failed", reason="there is no\nroom for agents.\x1b[0m")
    if MODE == "is-done-too-early":
        say("done")
    if MODE == "uses-the-server" and job["role"] == "ask":
        server = job["server"]
        socket.create_connection((server["host"], server["port"])).close()
        assert server["password"] not in " ".join(sys.argv)
    say("ready")
    if MODE == "echoes-and-dies" and job["role"] == "echo":
        die("the echo has died")


def go(job):
    if MODE == "is-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if MODE in {"hangs", "echoes-and-dies"}:
        time.sleep(FOR_EVER)
    while MODE == "reports-for-ever":
        say("progress", done=7)
    write(job)
    time.sleep(0.001)  # so that the round trips have been made in the time that they claim
    say("done")


def write(job):
    pairs, trips = job["pairs"], sum(job["rounds"])
    start = NOW()
    starts = [start + 10 * number for number in range(trips)]
    rtts = [5] * trips
    if MODE == "goes-back-in-time":
        rtts[0] = -1
    if MODE == "overlaps":
        rtts[0] = 15
    if MODE == "has-another-unit":
        rtts[-1] = 10**15
    if MODE == "writes-half":
        rtts.pop()
    if MODE != "writes-nothing":
        with open(job["times"], "wb") as file:
            for _ in range(pairs):
                array("q", [*starts, *rtts]).tofile(file)


def main():
    begin()
    for line in sys.stdin:
        order = json.loads(line)
        if order["type"] == "prepare":
            job = order
            prepare(job)
        elif order["type"] == "go":
            go(job)
        elif order["type"] == "stop":
            if MODE == "stays":
                time.sleep(FOR_EVER)
            if MODE == "ends-badly":
                die("could not clean up")
            break


main()
