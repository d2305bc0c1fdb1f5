"""How one agent has many conversations at once."""

from __future__ import annotations

NET, REQUESTS = "net", "requests"
"""By calls for proposals to many bidders; by requests, each awaited in a task of its own."""
