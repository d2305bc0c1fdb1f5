"""The live view: what a platform does, as it does it, or as it was recorded.

- `feed`: what both views are fed by; `joined` asks a platform that runs, `played` plays a recording
- `view`: what is known from a feed's batches, bounded
- `web`: the view in a browser; `terminal`: the view in a terminal
- `acting`: what can be done to agents from a view
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
