"""Requests to a container about its agents and itself.

An action is a class: its fields are the arguments, and it defines the answer, what is done, and the command.
The request, the decoder, the command and its `--json` are derived from it.

- `language`: what all actions have in common, and how they are written
- `looking_up`, `lives`, `places`, `creating`: the actions, each beside the method of `Management` for it
- `actions`: all of them by name, as messages are read
- `router`: performs an action in the container that it concerns; `local` is what it finds there
- `handler`: answers messages
- `white_pages`: looks up agents in one container; `place_search` finds out where agents live
"""
