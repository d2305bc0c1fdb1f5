"""Which containers a platform has: the leader's list, its followers' copies, their exchange."""
