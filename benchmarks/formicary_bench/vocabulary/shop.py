"""What a web shop is asked for, in which mix, and which database it keeps its data in."""

from __future__ import annotations

MIXES = BROWSING, SHOPPING, ORDERING = "browsing", "shopping", "ordering"
"""Which requests there are, as TPC-W has them: 5%, 20% or 50% have to do with an order."""

DATABASES = SQLITE, POSTGRESQL = "sqlite", "postgresql"
"""Where the shop's data is: in a file of its own process, or in a server beside it."""

WAYS = TRAVELS, FETCHES = "travels", "fetches"
"""How an agent gets at the data: it moves there and comes home, or it stays and asks by messages."""

PAGE_BYTES, ORDERS_MADE = "page bytes of a visit", "orders of a visit"
"""What is counted beside the times."""
