"""XMPP: a connection to a server, as a path between containers and to any other XMPP address.

- `connection`: a container's connection, which comes back by itself, and what goes over it
- `component`, `account_stream`: what opens a stream as a component (XEP-0114), or with an account
- `login`: connects to an account's server, which `lookup` finds, and logs in by `sasl`
- `stream`: one connection, from its bytes to frames and stanzas; `frame_reader` takes the frames
- `addressing`: how containers are addressed at a server
- `inbox`: what comes in as plain stanzas, and answers to it
- `stanzas`: messages as plain XMPP
"""
