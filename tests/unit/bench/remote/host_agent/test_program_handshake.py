"""What a host agent says first, whatever a login shell says before it, however it is cut."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formicary
from formicary_bench.remote import HostError
from formicary_bench.remote.folders import code_digest, from_home, interpreter
from formicary_bench.remote.host_agent.program import HostProgram
from formicary_bench.remote.host_agent.protocol import HANDSHAKE_BEGINS, Handshake
from formicary_bench.remote.inventory import Host

HOST = Host(name="b", address="b.example")


class Process:
    """A process that prints these pieces, then ends."""

    def __init__(self, *pieces, code=None, errors=b""):
        self.stdin, self.stdout, self.stderr = self, asyncio.StreamReader(), asyncio.StreamReader()
        self.returncode = code
        self._pieces = pieces
        self.stderr.feed_data(errors)
        self.stderr.feed_eof()

    async def speak(self):
        for piece in self._pieces:
            self.stdout.feed_data(piece)
            await asyncio.sleep(0)
        self.stdout.feed_eof()

    async def wait(self):
        """Ends at once."""

    def close(self):
        """Closes its standard input."""


async def greet(*pieces, **options):
    process = Process(*pieces, **options)
    program = HostProgram(HOST, process, process.wait, process.wait)
    handshake, _ = await asyncio.gather(program.greet(), process.speak())
    return handshake, await process.stdout.read()


def hear(*pieces, **options):
    return asyncio.run(greet(*pieces, **options))


def line(**changes):
    known = {"version": formicary.__version__, "digest": code_digest(), "pid": 7} | changes
    return msgspec.json.encode(Handshake(**known)) + b"\n"


@given(st.binary(max_size=300), st.binary(max_size=100), st.lists(st.integers(0, 1000), max_size=6))
def test_it_is_found_behind_any_noise_however_it_is_cut(noise, behind, places):
    data = noise.replace(HANDSHAKE_BEGINS, b"") + line() + behind
    edges = sorted({0, len(data), *(place % len(data) for place in places)})
    pieces = [data[begin:end] for begin, end in pairwise(edges)]
    handshake, rest = hear(*pieces)
    assert handshake.pid == 7
    assert rest == behind


def test_nothing_but_noise_is_said():
    with pytest.raises(HostError, match=r"before it sent anything \(output: 'Welcome!'\);"):
        hear(b"Welcome!\n")


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_noise_without_end_is_refused(end):
    with pytest.raises(HostError, match=r"^host b: its login shell prints more than 64 KiB before"):
        hear(*[b"x" * 1000 + end] * 200)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (line(failed="the disk is full"), "its host agent cannot work: the disk is full"),
        (line(digest="0123456789"), "it has another formicary "),
        (line(version="9.9"), "it has another formicary (9.9, code "),
        (HANDSHAKE_BEGINS + b"oops\n", "which is not a handshake; run `formicary hosts prepare`"),
    ],
)
def test_one_that_will_not_do(said, sentence):
    with pytest.raises(HostError) as caught:
        hear(said)
    assert str(caught.value).startswith("host b: ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("code", "last_words", "sentence"),
    [
        (
            127,
            "sh: not found",
            "there is no Python at .local/share/formicary/environment/bin/python that runs",
        ),
        (
            1,
            "No module named 'formicary'",
            "has no formicary, or not all of it (No module named 'formicary')",
        ),
        (2, "unknown option -P", "is older than 3.11"),
        (-9, "", "our program there was ended by SIGKILL before it sent anything;"),
        (None, "bye", "our program there ended before it sent anything; its last words: bye;"),
    ],
)
def test_why_there_was_none(code, last_words, sentence):
    with pytest.raises(HostError) as caught:
        hear(code=code, errors=last_words.encode())
    said = str(caught.value)
    assert said.startswith("host b: ")
    assert sentence in said
    assert "formicary hosts prepare" in said


def test_paths_begin_at_home():
    assert from_home("~/a/b") == "a/b"
    assert from_home("~") == from_home("~/") == "."
    assert from_home("/opt/x") == "/opt/x"
    assert interpreter(Host(name="b", address="b", venv="~/venv/")) == "venv/bin/python"
    assert interpreter(HOST) == ".local/share/formicary/environment/bin/python"
