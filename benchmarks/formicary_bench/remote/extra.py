"""What is installed only by those who measure over hosts."""

from __future__ import annotations

from importlib.util import find_spec

from formicary.errors import UsageError

_NEEDED = ("asyncssh", "packaging", "pip")


def need_extra() -> None:
    """Make sure that the extra `lab` is installed.

    Raises:
        UsageError: it is not.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"hosts cannot be reached: {', '.join(missing)} is not installed; "
            'install what is missing: pip install "formicary[bench,lab]"'
        )
