"""What may happen to hosts."""

from __future__ import annotations

from formicary.errors import FormicaryError


class HostError(FormicaryError):
    """A host cannot do what it is asked for; the sentence names it, says why, and what to do next."""

    exit_code = 3


def together(errors: list[HostError], count: int) -> HostError:
    """Make one error of what is wrong with several hosts, each on a line of its own.

    Args:
        errors: at least one.
        count: how many hosts there are.
    """
    sentences = dict.fromkeys(map(str, errors))
    if len(sentences) == 1:  # of one host, or of what all of them need
        return errors[0]
    lines = "".join(f"\n  {sentence}" for sentence in sentences)
    return HostError(f"{len(errors)} of {count} hosts cannot be used:{lines}")
