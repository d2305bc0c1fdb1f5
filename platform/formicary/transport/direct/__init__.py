"""Direct connections between two containers: TCP with TLS, or a Unix socket on one host.

`docs/direct-links.md` specifies their protocol.

- `connections`: a container's direct connections, from the first dial to the end
- `dialling`: dials other containers, again when a connection was lost
- `endpoint`: makes connections: listens and dials
- `listener`: the listening sockets; `half_open`: connections that have not proven who they are
- `opening`: a state machine in which both sides prove who they are; `opening_protocol`: runs it
- `connection`: an open connection: frames out, frames in
- `peer_keys`: the containers that this one knows, and the keys that it gave them
- `identity`: a container's key and certificate, and the file that keeps them for its successor
"""

from formicary.transport.addresses import Offer
from formicary.transport.direct.connection import DirectConnection
from formicary.transport.direct.endpoint import DirectEndpoint

__all__ = ["DirectConnection", "DirectEndpoint", "Offer"]
