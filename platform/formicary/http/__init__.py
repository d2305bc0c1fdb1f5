"""HTTP servers that strangers can reach: those of the live view and the gateway.

- `server`: listens, and answers requests
- `connections`: limits the number of connections, the time of each, and closes some when there are too many
"""

CPU_GROUP = "communication"
