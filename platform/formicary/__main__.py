"""The command `formicary`, also as `python -m formicary`: while it loads, Ctrl-C ends it without a word."""

import _signal as signal  # type: ignore[import-not-found]  # as `signal`, and there already
import os

_INTERRUPTED = 130  # as shells have it for a program that Ctrl-C has ended


def main() -> None:
    """Run the command line and end the process with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where it is ignored
        # No exception: what is being loaded could swallow it, or leave a traceback of ours.
        signal.signal(signal.SIGINT, _end)
    from formicary.cli import main as run

    run(when_loaded=_raise_from_now_on)


def _end(*_: object) -> None:
    os._exit(_INTERRUPTED)


def _raise_from_now_on() -> None:
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    main()
