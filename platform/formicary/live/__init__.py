"""The live view of a platform, running or recorded.

- `feed`: the source of both views; `joined` asks a running platform, `played` plays a recording
- `view`: the bounded state known from a feed's batches
- `web`: the view in a browser; `terminal`: the view in a terminal
- `acting`: actions on agents from a view
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.live.feed import Feed
    from formicary.live.joined import JoinedFeed
    from formicary.live.played import PlayedFeed

CPU_GROUP = "platform"

__all__ = ["Feed", "JoinedFeed", "PlayedFeed"]

__getattr__ = exporter(
    __name__,
    {
        "live.feed": ("Feed",),
        "live.joined": ("JoinedFeed",),
        "live.played": ("PlayedFeed",),
    },
)
