"""A driver that makes rounds again and again, and whose times are made up: it gets warm, or never does."""

import json
import sys
import time
from array import array

MODE = sys.argv[1]
APART = 2 if MODE == "apart" else 0
"""After how many round trips of a pair the next one begins."""

SLOW = 3
"""How many rounds take ten times as long as those that follow."""


def say(kind, **values):
    print(json.dumps({"type": kind, **values}), flush=True)


def write(path, pairs, trips, trip_ns):
    with open(path, "xb") as file:
        for pair in range(pairs):
            begins = pair * APART * trip_ns
            array("q", (begins + at * trip_ns for at in range(trips))).tofile(file)
            array("q", [trip_ns] * trips).tofile(file)


def trip_ns(number):
    """Return the duration of a round trip in a round."""
    if MODE == "never-settles":
        return int(10_000 * 1.1**number)  # slower and slower
    return 100_000 if number < SLOW else 10_000


def spend(seconds):
    """Use up time; a driver that never settles does not settle by its CPU time either."""
    if MODE == "never-settles":
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass
    else:
        time.sleep(seconds)


def main():
    hello = {"experiments": ["messaging/pairs"], "placements": ["same-container"], "again": MODE != "once"}
    say("hello", protocol=1, name="warming", version="1.0", **hello)
    number = 0
    for line in sys.stdin:
        order = json.loads(line)
        if order["type"] == "prepare":
            job = order
            say("ready")
        elif order["type"] == "go":
            trips = order["trips"]
            each_ns = trip_ns(number)
            number += 1
            spend((trips + APART * job["pairs"]) * each_ns / 1e9)
            say("progress", done=trips * job["pairs"] + (MODE == "counts-on" and number > SLOW))
            write(job["times"], job["pairs"], trips, each_ns)
            say("done", warm=MODE != "compiles")
        else:
            break


main()
