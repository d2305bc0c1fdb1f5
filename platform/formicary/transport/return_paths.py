"""By which containers agents have sent last, where these are not their homes: failures go back there."""

from __future__ import annotations

_LIMIT = 65_536  # agents of other containers of which it is remembered where they have sent from


class ReturnPaths:
    """The container that has sent something for an agent last; by full names, where it is not its home."""

    def __init__(self) -> None:
        self._domains: dict[str, str] = {}

    def domain_of(self, sender: str) -> str | None:
        """Return by which container an agent has sent last; None where that was its home, for all we know."""
        return self._domains.get(sender)

    def heard(self, sender: str, domain: str) -> str | None:
        """Take note that a container has sent something for an agent.

        Returns:
            The container that did so before, or the agent's home; None where it is the same one.
        """
        home = sender.partition("@")[2]
        before = self._domains.get(sender, home)
        if domain == before:
            return None
        if domain == home:
            del self._domains[sender]
            return before
        if len(self._domains) >= _LIMIT:
            self._domains.clear()
        self._domains[sender] = domain
        return before

    def forget(self, sender: str) -> None:
        """Take it that an agent sends from its home."""
        self._domains.pop(sender, None)

    def lose(self, domain: str) -> None:
        """Called when a container is not there any more."""
        if self._domains:
            self._domains = {sender: by for sender, by in self._domains.items() if by != domain}
