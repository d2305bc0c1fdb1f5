"""What the judge and the program's process say to each other, and the line on which they say it.

They take turns. The judge orders, the process does it, together with all that its agents can do without time
passing, and reports. So one clock is enough for both: the judge's.
"""

from __future__ import annotations

import math
import struct
import time
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

_MOST = 1 << 26  # bytes of one order or report: more is nothing that a lab needs
_PIECE = 1 << 16  # bytes
_LENGTH = struct.Struct("!I")
_LOOKS = 0.2  # s between looks whether the process at the other end lives, while it says nothing


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """What goes from one container to another.

    Attributes:
        kind: a message (`letter`), or that it is `lost`; a `control` message; that the source has `come` or
            `left`; or that it wants nothing more for one of its agents (`hold`), or does again (`release`).
        source: the domain of the container that it comes from.
        target: that of the one that it goes to.
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


class Task(msgspec.Struct, frozen=True, array_like=True):
    """Something to be done that may take its time: a method of `Performer`, and its arguments."""

    number: int
    what: Literal["open", "crash", "start", "join", "replace", "watch"]
    arguments: tuple[Any, ...]


class Call(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A call of a function that the judge has offered; its answer has the same number."""

    number: int
    name: str
    arguments: tuple[Any, ...]


class Answer(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What came of a task, of a call, or of looking at an agent: plain data, or a sentence about why not."""

    number: int
    value: Any = None
    problem: str = ""


class Begin(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Begin a scenario: with a seed of the program's own chance, and seconds of CPU time that it may take."""

    seed: int
    seconds: float


class Turn(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Go on at this time, with what has come."""

    now: float
    frames: tuple[Frame, ...]
    tasks: tuple[Task, ...]
    answers: tuple[Answer, ...]


class Look(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Say what an agent has in one of its attributes."""

    agent: int
    attribute: str


class Finish(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """End the scenario."""


class Loaded(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The program is loaded, or a sentence says why not."""

    problem: str


class Idle(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Nothing can go on before the timer, if there is one; this is what was said meanwhile."""

    timer: float | None
    frames: tuple[Frame, ...]
    answers: tuple[Answer, ...]
    calls: tuple[Call, ...]


class Over(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The scenario cannot go on, nor the process if it hangs; a sentence says why."""

    problem: str
    hangs: bool = False


class Final(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What was seen of the program in the scenario: see `Outcome`."""

    failures: tuple[str, ...]
    hint: str
    printed: str


Order = Begin | Turn | Look | Answer | Finish
Report = Loaded | Idle | Answer | Call | Over | Final

S = TypeVar("S")
R = TypeVar("R")


class Line(Generic[S, R]):
    """One end of the line.

    Args:
        connection: the socket.
        kind: what comes from the other end, and is believed to be nothing else.
        is_there: whether the process at the other end lives: a child of it may hold the line open.

    Attributes:
        deadline: until when the other end is waited for, by `time.monotonic()`; None for ever.
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
        """Say something.

        Raises:
            TimeoutError: the other end takes nothing.
            OSError: it is gone.
            TypeError, ValueError, OverflowError, RecursionError: this cannot be said.
        """
        data = self._encode(said)
        if len(data) > _MOST:
            raise ValueError(f"more than {_MOST >> 20} MB at once")
        self._wait()
        self._connection.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self) -> R:
        """Return what the other end says next.

        Raises:
            TimeoutError: it says nothing.
            OSError, EOFError: it is gone.
            ValueError: it has said what is none of this.
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
