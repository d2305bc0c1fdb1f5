"""Which containers a platform has: a list that one of them leads, and of which the others have copies.

- `exchange`: what containers tell each other about it
- `machine`: what leader and followers have in common, as a state machine
- `leader`: the platform's container
- `follower`: a container that has joined it
- `members`: does what the state machine says, keeps its time, and waits, as a container opens, until it knows
  what the others do
"""
