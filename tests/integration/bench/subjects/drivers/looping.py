"""A driver that makes loops of an operation, and whose times are made up: it gets warm."""

import json
import sys
import time
from array import array

MODE = sys.argv[1]
EXPERIMENT = sys.argv[2]
COLD_NS, WARM_NS = 100_000, 10_000
SLOW = 3
"""How many rounds take ten times as long as those that follow."""


def say(kind, **values):
    print(json.dumps({"type": kind, **values}), flush=True)


def tallies(swaps):
    """Return the tallies of a grid's four agents; nothing without a grid."""
    few = [[swaps - 2, 1, 5]] if MODE == "well" else []
    return {"tallies": [*few, [swaps, 3, 0]]} if EXPERIMENT == "grid/swap" else {}


def main():
    hello = {
        "experiments": ["messaging/pairs", EXPERIMENT],
        "placements": ["same-container"],
        "again": True,
    }
    say("hello", protocol=1, name="looping", version="1.0", **hello)
    number = 0
    for line in sys.stdin:
        order = json.loads(line)
        if order["type"] == "prepare":
            job = order
            say("ready")
        elif order["type"] == "go":
            each_ns = COLD_NS if number < SLOW else WARM_NS
            number += 1
            laps = order["laps"][:-1] if MODE == "leaves-one-out" else order["laps"]
            assert max(order["laps"]) <= job["loop"]
            began = time.perf_counter_ns()
            took = [size * each_ns for size in laps]
            time.sleep(sum(took) / 1e9)
            say("progress", done=sum(order["laps"]))
            with open(job["times"], "xb") as file:
                array("q", (began + sum(took[:at]) for at in range(len(took)))).tofile(file)
                array("q", took).tofile(file)
            say("done", warm=True, **tallies(order["laps"][-1]))
        else:
            break


main()
