"""HTTP servers that strangers can reach: the live view's, and the gateway's.

- `server`: listens, and answers
- `connections`: how many there may be, how long each may take, and which of them have to go
"""

CPU_GROUP = "communication"
