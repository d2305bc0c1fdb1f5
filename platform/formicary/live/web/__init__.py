"""The live view in a browser: a server on this machine, and the page that it serves.

- `serving`: opens and closes the server
- `application`: its answers to those who may have them: the page's files, and one WebSocket per page
- `hub`: the feed, its pages, and the queue of each page
- `wire`: the messages between page and server
- `static`: the page
"""
