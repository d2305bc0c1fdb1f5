"""The roles of workers, and what sentences and tables call the processes that play them."""

from __future__ import annotations

BOTH, ASK, ECHO, CREATE, MEMBER = "both", "ask", "echo", "create", "member"
"""A worker has both agents of each pair, those that ask, those that echo, or agents that are only created;
or it is one of many members, each with agents of both kinds. With the
directory, `echo` has the first container."""

SERVER = "server"
"""No worker: the XMPP server, where it is measured beside them."""

PROCESSES = {
    BOTH: "the measuring process",
    ASK: "the asking process",
    ECHO: "the echoing process",
    CREATE: "the creating process",
    MEMBER: "the process",
    SERVER: "the server",
}
"""What sentences call them."""

DOING = {
    BOTH: "the process",
    ASK: "asking",
    ECHO: "echoing",
    CREATE: "creating",
    MEMBER: "asking and echoing",
    SERVER: "the server",
}
"""What the columns of tables call them."""
