"""What is asked of the directory; it is defined in `formicary.directory.model.query`."""

from formicary.directory.model.query import (
    Condition,
    Query,
)

__all__ = [
    "Condition",
    "Query",
]
