"""Connections of our own between two containers: TCP with TLS, or a Unix socket on one host.

Where things are: `direct` (a container's listener and dialler), `offer` (what a container tells others about
where it listens), `peers` (whom it knows), `identity` (its key and certificate), `identity_file` (where these
outlive it), `opening` (how both sides prove who they are, as a state machine without I/O), `greeter` (that
state machine on a connection), `connection` (an open connection: frames out,
frames in) and `listener` (the sockets). `docs/direct-links.md` specifies what is said.
"""

from formicary.transport.direct.connection import DirectConnection
from formicary.transport.direct.endpoint import DirectEndpoint
from formicary.transport.direct.offer import Offer

__all__ = ["DirectConnection", "DirectEndpoint", "Offer"]
