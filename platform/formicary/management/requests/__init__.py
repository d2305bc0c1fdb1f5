"""What can be asked of a container about its agents and itself.

An action is a class: its fields are the arguments, and it says what is answered, what is done, and which
command does it. The request, the decoder, the command and its `--json` come from that.

- `language`: what all actions have in common, and how they are written
- `looking_up`, `lives`, `places`, `creating`: the actions, each beside the method of `Management` for it
- `actions`: all of them by name, as messages are read
- `router`: performs an action where that has to be done
- `handler`: answers messages
- `white_pages`: what can be looked up in one container, and `place_search` where agents live
"""
