"""A driver of a platform that hands bodies over from function to function, or through a TCP connection."""

import json
import socket
import sys
import threading
from array import array
from time import perf_counter_ns


def say(kind, **values):
    print(json.dumps({"type": kind, **values}), flush=True)


def listen(address):
    """Echo everything until this process ends, and return the address."""
    server = socket.create_server((address, 0))

    def echo(connection):
        while data := connection.recv(1 << 16):
            connection.sendall(data)

    def accept():
        while True:
            threading.Thread(target=echo, args=[server.accept()[0]], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return "{}:{}".format(*server.getsockname())


def connect(endpoint):
    """Return a function that makes one round trip to a listening driver."""
    host, port = endpoint.split(":")
    connection = socket.create_connection((host, int(port)))

    def trip(body):
        connection.sendall(body)
        left = len(body)
        while left:
            left -= len(connection.recv(left))

    return trip


def measure(job, trips):
    """Make the round trips of each pair, one pair after the other; real platforms do so at once."""
    body = b"x" * max(1, job["payload_bytes"])
    with open(job["times"], "wb") as file:
        for trip in trips:
            starts, rtts = array("q"), array("q")
            for _ in range(sum(job["rounds"])):
                starts.append(perf_counter_ns())
                trip(body)
                rtts.append(max(1, perf_counter_ns() - starts[-1]))
            starts.tofile(file)
            rtts.tofile(file)
            say("progress", done=len(rtts))


def main():
    say(
        "hello",
        protocol=1,
        name="good",
        version="1.0",
        runtime="Python 3",
        experiments=["messaging/pairs", "messaging/size"],
        placements=["same-container", "two-containers", "two-hosts"],
        most_pairs=50,
        most_bytes=10_000,
        threads={"agents": ["python*"]},
    )
    for line in sys.stdin:  # which ends when the laboratory is gone
        order = json.loads(line)
        if order["type"] == "prepare":
            job = order
            if job["role"] == "both":
                trips = [lambda body: body] * job["pairs"]
            elif job["role"] == "ask":
                trips = [connect(job["peer"]) for _ in range(job["pairs"])]
            say("ready", endpoint=listen(job["listen"]) if job["role"] == "echo" else "")
        elif order["type"] == "go":
            measure(job, trips)
            say("done")
        elif order["type"] == "stop":
            break


main()
