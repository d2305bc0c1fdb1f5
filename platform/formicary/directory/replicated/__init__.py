"""The directory as a replica in every container, which writes its own agents' entries and reads all locally.

- `exchange`: the messages between replicas
- `own_entries`, `peer_replica`: the entries of this container, and those of another
- `replica`: all entries, as a state machine
- `directory`: performs the state machine's instructions, and answers from an index
"""
