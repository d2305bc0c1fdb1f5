"""What SPADE's agents have and ours have not: it says so when it is called."""

from __future__ import annotations

from typing import Never

from formicary.core.errors import UnsupportedError


class Missing:
    """Stands for something that is not there: its attributes can be set, and what is called says why not.

    Args:
        what: its name in a program, such as `agent.web`.
        why: why it is not there, and what to do, as the rest of a sentence.
    """

    def __init__(self, what: str, why: str) -> None:
        self._what = what
        self._why = why

    def is_started(self) -> bool:
        """Tell that it has not started."""
        return False

    def is_available(self) -> bool:
        """Tell that it is not there for others."""
        return False

    def __getattr__(self, name: str) -> Refusal:
        if name.startswith("_"):
            raise AttributeError(name)
        return Refusal(f"{self._what}.{name}() is not there: {self._why}")


class Refusal:
    """A method that is not there.

    Args:
        sentence: why.
    """

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    def __call__(self, *_: object, **__: object) -> Never:
        """Say so.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(self._sentence)
