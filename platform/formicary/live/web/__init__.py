"""The live view in a browser: a server on this machine, and the page that it serves.

- `serving`: opens and closes the server
- `application`: its answers: the page's files, and one WebSocket per page
- `guard`: access control
- `hub`: the feed and its pages; `outbox` is the queue of one page
- `wire`: the messages between page and server
- `static`: the page
"""
