"""Frames out of a stream of bytes, however it is cut into pieces."""

from __future__ import annotations

from formicary_bench.remote.host_agent.protocol import LARGEST_FRAME

_HEAD = 4  # bytes of the length


class FramingError(ValueError):
    """What came is no frame, and what follows it cannot be understood either."""


class Frames:
    """Takes bytes as they come and gives the bodies of complete frames."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the frames that are complete with these bytes.

        Raises:
            FramingError: a frame is longer than `LARGEST_FRAME`; it is not waited for.
        """
        rest = self._rest
        rest += data
        frames = []
        begin = 0
        while len(rest) - begin >= _HEAD:
            length = int.from_bytes(rest[begin : begin + _HEAD], "big")
            if length > LARGEST_FRAME:
                raise FramingError(
                    f"a frame of {length} bytes, more than the {LARGEST_FRAME} that it may have"
                )
            end = begin + _HEAD + length
            if len(rest) < end:
                break
            frames.append(bytes(rest[begin + _HEAD : end]))
            begin = end
        del rest[:begin]
        return frames
