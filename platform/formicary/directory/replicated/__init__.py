"""The directory as a replica in every container: each writes its own agents' entries, all read locally."""
