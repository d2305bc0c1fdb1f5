"""The protocol between the judge and the program's process, and its connection; requests are as everywhere.

The two take turns. The judge gives an order; the process carries it out, lets its agents run until they all
wait, and reports. So a single clock, the judge's, serves both.
"""

from __future__ import annotations

import math
import struct
import time
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec

from formicary.processes.requests import Answer, Refusal, Request

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

_MOST = 1 << 26  # bytes of one order or report, far more than any lab needs
_PIECE = 1 << 16  # bytes
_LENGTH = struct.Struct("!I")
_LOOKS = 0.2  # s between checks that the other process is alive while it is silent


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """What goes from one container to another.

    Attributes:
        kind: a message (`letter`) or its loss (`lost`); a `control` message; the arrival (`come`) or
            departure (`left`) of the source; or a request to pause sending to an agent (`hold`) or to
            resume (`release`).
        source: the sending container's domain.
        target: the receiving container's domain.
        receiver: the full name of the agent that it is for.
        data: the message, or the control message's payload.
        text: the control message's channel; or why a message is lost.
    """

    kind: Literal["letter", "lost", "control", "come", "left", "hold", "release"]
    source: str
    target: str = ""
    receiver: str = ""
    data: bytes = b""
    text: str = ""


class Task(msgspec.Struct, frozen=True):
    """A request to the program's process: the name of a method there, and its arguments."""

    what: Literal["open", "crash", "start", "join", "replace", "watch"]
    arguments: tuple[Any, ...]


class Call(msgspec.Struct, frozen=True):
    """A request to one of the judge's functions."""

    name: str
    arguments: tuple[Any, ...]


Answered = Answer[Any] | Refusal


class Begin(msgspec.Struct, frozen=True, tag=True):
    """Begin a scenario, with a seed for the program's random numbers and its limit of CPU time in seconds."""

    seed: int
    seconds: float


class Turn(msgspec.Struct, frozen=True, tag=True):
    """Run until all agents wait, starting at this time with what has arrived."""

    now: float
    frames: tuple[Frame, ...]
    tasks: tuple[Request[Task], ...]
    answers: tuple[Answered, ...]


class Look(msgspec.Struct, frozen=True, tag=True):
    """Report the value of an agent's attribute."""

    agent: int
    attribute: str


class Finish(msgspec.Struct, frozen=True, tag=True):
    """End the scenario."""


class Loaded(msgspec.Struct, frozen=True, tag=True):
    """The program has been loaded; if not, `problem` says why."""

    problem: str


class Idle(msgspec.Struct, frozen=True, tag=True):
    """All agents wait, at most until `timer`; the rest is what they have sent since the last turn."""

    timer: float | None
    frames: tuple[Frame, ...]
    answers: tuple[Answered, ...]
    calls: tuple[Request[Call], ...]


class Over(msgspec.Struct, frozen=True, tag=True):
    """The scenario has been aborted for this reason; if the program hangs, its process has ended, too."""

    problem: str
    hangs: bool = False


class Final(msgspec.Struct, frozen=True, tag=True):
    """Observations of the program during the scenario; see `Outcome`."""

    failures: tuple[str, ...]
    hint: str
    printed: str


Order = Begin | Turn | Look | Answered | Finish
Report = Loaded | Idle | Answered | Request[Call] | Over | Final

S = TypeVar("S")
R = TypeVar("R")


class Line(Generic[S, R]):
    """One end of the connection.

    Args:
        connection: the socket.
        kind: the type that incoming messages must have.
        is_there: tells whether the other process is alive, since its children may keep the socket open.

    Attributes:
        deadline: when to stop waiting for the other end, by `time.monotonic()`; None for never.
    """

    def __init__(
        self, connection: socket.socket, kind: Any, is_there: Callable[[], bool] = lambda: True
    ) -> None:
        self._connection = connection
        self._is_there = is_there
        self._come = bytearray()
        self._encode = msgspec.msgpack.Encoder(enc_hook=list).encode
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self.deadline: float | None = None

    def send(self, said: S) -> None:
        """Send a message.

        Raises:
            TimeoutError: the other end does not read.
            OSError: the other end is gone.
            TypeError, ValueError, OverflowError, RecursionError: the message cannot be encoded.
        """
        data = self._encode(said)
        if len(data) > _MOST:
            raise ValueError(f"more than {_MOST >> 20} MB at once")
        self._wait()
        self._connection.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self) -> R:
        """Return the next message.

        Raises:
            TimeoutError: the other end sends nothing.
            OSError, EOFError: the other end is gone.
            ValueError: what it has sent is not a valid message.
        """
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if length > _MOST:
            raise ValueError(f"more than {_MOST >> 20} MB at once")
        try:
            said: R = self._decode(self._read(length))
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise ValueError(str(error)) from error
        return said

    def _read(self, length: int) -> bytes:
        while len(self._come) < length:
            self._come += self._some()
        data = bytes(self._come[:length])
        del self._come[:length]
        return data

    def _some(self) -> bytes:
        while True:
            self._wait(_LOOKS)
            try:
                some = self._connection.recv(_PIECE)
            except TimeoutError:
                if self._is_there():
                    continue
                some = b""
            if not some:
                raise EOFError
            return some

    def _wait(self, most: float = math.inf) -> None:
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._connection.settimeout(min(left, most))
