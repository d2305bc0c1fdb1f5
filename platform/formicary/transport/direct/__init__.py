"""Connections of our own between two containers: TCP with TLS, or a Unix socket on one host.

`docs/direct-links.md` specifies what is said on them.

- `connections`: all direct connections of a container: who may make them, and what becomes of them
- `dialling`: dials other containers, and again when a connection was lost
- `endpoint`: makes connections: listens and dials
- `listener` has the sockets, `half_open` those who have connected there and not proven who they are
- `opening`: how both sides prove who they are, as a state machine; `opening_protocol` is that on a connection
- `connection`: an open connection: frames out, frames in
- `peer_keys`: which containers this one knows, and the keys that they have of it
- `identity`: a container's key and certificate; `identity_file` is where these outlive it
"""

from formicary.transport.addresses import Offer
from formicary.transport.direct.connection import DirectConnection
from formicary.transport.direct.endpoint import DirectEndpoint

__all__ = ["DirectConnection", "DirectEndpoint", "Offer"]
