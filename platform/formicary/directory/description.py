"""What an agent offers; it is defined in `formicary.directory.model.description`."""

from formicary.directory.model.description import (
    Properties,
    ServiceDescription,
)

__all__ = [
    "Properties",
    "ServiceDescription",
]
