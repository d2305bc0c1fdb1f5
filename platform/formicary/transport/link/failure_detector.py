"""Finds out whether the other end of a link is there: when to ping it, and when to give it up.

Either end gives the other up without its consent. The *lease* makes this safe: an end takes messages only
while it can be sure that the other has not given it up and failed these messages.
"""

from __future__ import annotations

from typing import Final

GRACE: Final = 3.0
"""Seconds after which an end that is known to be away is given up."""
GIVE_UP: Final = 30.0
"""Seconds after which an end is given up that is silent while something waits for it."""
LEASE: Final = GIVE_UP - 5.0
"""Seconds for which an end takes messages after it has sent something that the other has answered."""
UNANSWERED: Final = 2 * GIVE_UP
"""Seconds after which an end is given up that is heard, but answers nothing while something waits."""
FORGET: Final = 10 * GIVE_UP
"""Seconds after which an end is given up that is silent while nothing waits for it."""

_PROBE = 1.0  # s without an answer until the next ping
_PROBE_AWAY = 0.25  # the same if the other end is known to be away
_KEEP_ALIVE = 10.0  # s between pings, so that the leases last
_DOUBT = 3.0  # s without an answer until the path is in doubt; what is heard may take another
_STANDSTILL = 5.0  # s without a tick that show that this process stood still


class FailureDetector:
    """Knows whether the other end is there. All times are of the session's clock, in seconds.

    Attributes:
        heard_at: when the latest frame came from it.
        waiting_since: since when something waits for it and nothing was acknowledged; None if nothing waits.
        rtt: the round trip of the latest ping in seconds; None before the first.
    """

    def __init__(self) -> None:
        self.rtt: float | None = None
        self._ping = 0
        self._ticked_at = 0.0
        self.start(0.0, 0.0)

    def start(self, now: float, confirmed_at: float) -> None:
        """Start anew: the other end is there, and has answered what was sent at `confirmed_at`."""
        self.heard_at = self._ticked_at = self._pinged_again_at = now
        self._confirmed_at = confirmed_at
        self.waiting_since: float | None = None
        self._absent_since: float | None = None
        self._pinged_at: float | None = None  # when the unanswered ping was first sent
        self._pinged_up_to = 0
        self._is_proven = True  # whether anything was answered over this path

    # -- what happens ---------------------------------------------------------------------------------------

    def change_path(self) -> None:
        """Forget what is known about the path, as frames take another one."""
        self._pinged_at = self._absent_since = None
        self._is_proven = False

    def lose(self, now: float) -> None:
        """Assume that the other end is away, until a new ping is answered."""
        if self._absent_since is None:
            self._absent_since = now
            self._pinged_at = None

    def confirm(self, sent_at: float) -> None:
        """Record that the other end has answered what was sent at this time."""
        self._confirmed_at = max(self._confirmed_at, sent_at)

    def tick(self, now: float, *, is_waiting: bool) -> None:
        """Record the time, and whether something waits for the other end."""
        if now - self._ticked_at > _STANDSTILL:  # frames that came meanwhile are still unread
            self.waiting_since = self._pinged_at = None
            if self._absent_since is not None:
                self._absent_since = now
        self._ticked_at = now
        if not is_waiting:
            self.waiting_since = None
        elif self.waiting_since is None:
            self.waiting_since = now

    # -- what follows ---------------------------------------------------------------------------------------

    @property
    def lease_end(self) -> float:
        """Until when the other end certainly does not give this one up in silence."""
        return self._confirmed_at + LEASE

    def is_mute(self, now: float) -> bool:
        """Return whether to stop answering, so that the other's lease ends before it is given up."""
        return self._unanswered(now) > UNANSWERED - GIVE_UP

    def _unanswered(self, now: float) -> float:
        if self.waiting_since is None:
            return 0.0
        return now - max(self.waiting_since, self._confirmed_at)

    def reason_to_give_up(self, now: float) -> str | None:
        """Return why to give the other end up; None if it is not time to."""
        if self._absent_since is not None and now - max(self._absent_since, self.heard_at) > GRACE:
            return f"it was disconnected for {GRACE:g} s"
        if self.waiting_since is not None:
            if now - max(self.waiting_since, self.heard_at) > GIVE_UP:
                return f"nothing was heard of it for {GIVE_UP:g} s"
            if self._unanswered(now) > UNANSWERED:
                return f"it has not answered for {UNANSWERED:g} s"
        elif self._pinged_at is not None and now - max(self._pinged_at, self.heard_at) > FORGET:
            return f"nothing was heard of it for {FORGET:g} s"
        return None

    @property
    def is_away(self) -> bool:
        """Whether it was away when last tried."""
        return self._absent_since is not None

    # -- pings ----------------------------------------------------------------------------------------------

    @property
    def is_asking(self) -> bool:
        """Whether a ping is unanswered."""
        return self._pinged_at is not None

    def is_lost(self, now: float) -> bool:
        """Return whether the ping may be lost, as nothing was answered over this path yet."""
        return self.is_asking and not self._is_proven and now >= self._pinged_again_at + _PROBE_AWAY

    def is_ping_due(self, now: float) -> bool:
        """Return whether to send a ping."""
        last = self._pinged_again_at
        if self._absent_since is not None:
            return now >= last + _PROBE_AWAY
        if self._pinged_at is not None:
            return now >= last + _PROBE
        if now >= last + _KEEP_ALIVE:
            return True
        return self.waiting_since is not None and now >= max(last, self.waiting_since) + _PROBE

    def has_doubt(self, now: float) -> bool:
        """Return whether the path may be at fault."""
        return self._pinged_at is not None and now - self._pinged_at >= _DOUBT

    def ping(self, now: float, sent: int) -> int:
        """Return the number of the ping to send, whose answer must acknowledge the frames up to `sent`."""
        if self._pinged_at is None:
            self._ping += 1
            self._pinged_at = now
            self._pinged_up_to = sent
        self._pinged_again_at = now
        return self._ping

    def pong(self, number: int, now: float) -> int | None:
        """Handle an answer; return the number of the frame that it must acknowledge, None if it is late."""
        if number != self._ping or self._pinged_at is None:
            return None
        self.rtt = now - self._pinged_at
        self.confirm(self._pinged_at)
        self._pinged_at = self._absent_since = None
        self._is_proven = True
        return self._pinged_up_to
