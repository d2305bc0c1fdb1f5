"""HTTP servers exposed to strangers, for the live view and the gateway.

- `server`: listens, and answers requests
- `connections`: limits the number of connections, the time of each, and closes some when there are too many
"""

from formicary.http.connections import ASKING, Connection
from formicary.http.server import HttpServer, listen

__all__ = ["ASKING", "Connection", "HttpServer", "listen"]

CPU_GROUP = "communication"
