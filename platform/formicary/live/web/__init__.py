"""The live view in a browser: a server on this machine, and the page that it gives.

- `serving`: opens the server, and ends it
- `application`: what it answers: the page's files, and one web socket for each page
- `guard`: who may ask
- `hub`: the feed and its pages; `outbox` is what waits for one of them
- `wire`: what page and server say to each other
- `static`: the page
"""
