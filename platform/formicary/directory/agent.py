"""The directory's agent; it is defined in `formicary.directory.central.agent`."""

from formicary.directory.central.agent import (
    DirectoryAgent,
)

__all__ = [
    "DirectoryAgent",
]
