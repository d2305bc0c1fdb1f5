"""XMPP: a connection to a server, as a path between containers and to any other XMPP address.

- `connection`: a container's connection, which reconnects by itself
- `component`, `account_stream`: open a stream as a component (XEP-0114), or with an account
- `addressing`: the addresses of containers at a server
- `login`: finds an account's server, connects to it, and logs in with `sasl`
- `stream`: one connection, from bytes to stanzas; `frame_reader` extracts the frames
- `inbox`: handles plain stanzas that come in
- `stanzas`: messages as plain XMPP stanzas
"""
