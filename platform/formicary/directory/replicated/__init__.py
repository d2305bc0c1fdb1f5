"""The directory as a replica in every container: each writes its own agents' entries, all read locally.

- `exchange`: what replicas tell each other
- `own_entries`, `peer_replica`: the entries of this container, and those of another
- `replica`: all entries, as a state machine
- `directory`: does what the state machine says, and answers from an index
"""
