"""Requests to the agents `ams`: what can be asked, who does it, and how it is answered.

- `actions`: the requests, with their arguments
- `language`: how requests and answers are written
- `white_pages`: what can be looked up about one container
- `creation`: from the name of a class to an agent
- `local`: does what concerns one container
- `place_search`: where agents live, by asking few containers
- `router`: has each request done by the container that it concerns, or by all
- `handler`: answers those that come as messages
"""
