"""Whether the other end of a link is there: what is asked of it, how long to wait, when to give it up.

Two ends give each other up without having agreed on it. The *lease* makes that safe: an end takes messages
only while it can be sure that the other has not given it up, and has not failed its own messages yet.
"""

from __future__ import annotations

from typing import Final

GRACE: Final = 3.0
"""Seconds after which an end that is known to be away is given up."""
GIVE_UP: Final = 30.0
"""Seconds after which an end is given up that is silent though something waits for it."""
LEASE: Final = GIVE_UP - 5.0
"""Seconds for which an end takes messages after it has sent what the other is known to have got."""
UNANSWERED: Final = 2 * GIVE_UP
"""Seconds after which an end is given up that is heard, but answers nothing though something waits for it."""
FORGET: Final = 10 * GIVE_UP
"""Seconds after which an end is given up that is silent, where nothing waits for it."""

_PROBE = 1.0  # s without an answer after which to ask for one
_PROBE_AWAY = 0.25  # the same where it is known to be away
_KEEP_ALIVE = 10.0  # s between pings, so that the leases last
_DOUBT = 3.0  # s without an answer after which the path is in doubt; what is heard may take another
_STANDSTILL = 5.0  # s without a tick that show that this process was stopped


class FailureDetector:
    """What is known of the other end's being there. All times are of the session's clock, in seconds.

    Attributes:
        heard_at: when the latest frame came from it.
        waiting_since: since when something waits for it, and nothing was acknowledged; None if nothing does.
        rtt: seconds that the latest ping took to be answered; None before there was one.
    """

    def __init__(self) -> None:
        self.rtt: float | None = None
        self._ping = 0
        self._ticked_at = 0.0
        self.start(0.0, 0.0)

    def start(self, now: float, confirmed_at: float) -> None:
        """Begin anew: the other end is there, and has got what was sent at `confirmed_at`."""
        self.heard_at = self._ticked_at = self._pinged_again_at = now
        self._confirmed_at = confirmed_at
        self.waiting_since: float | None = None
        self._absent_since: float | None = None
        self._pinged_at: float | None = None  # when the ping was first sent that is not answered yet
        self._pinged_up_to = 0
        self._is_proven = True  # whether the other end was there when something came to it over this path

    # -- what happens ---------------------------------------------------------------------------------------

    def change_path(self) -> None:
        """Forget what is known about the path: frames take another one."""
        self._pinged_at = self._absent_since = None
        self._is_proven = False

    def lose(self, now: float) -> None:
        """Assume that the other end is away, as a frame came back; a new ping will tell."""
        if self._absent_since is None:
            self._absent_since = now
            self._pinged_at = None

    def confirm(self, sent_at: float) -> None:
        """Note that the other end has answered what was sent at that time."""
        self._confirmed_at = max(self._confirmed_at, sent_at)

    def tick(self, now: float, *, is_waiting: bool) -> None:
        """Note the time, and whether something waits for the other end."""
        if now - self._ticked_at > _STANDSTILL:  # what came meanwhile was not read yet
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
        """Until when the other end is sure not to have given this one up by itself."""
        return self._confirmed_at + LEASE

    def is_mute(self, now: float) -> bool:
        """Return whether to answer nothing any more, so that the other's lease ends before it is given up."""
        return self._unanswered(now) > UNANSWERED - GIVE_UP

    def _unanswered(self, now: float) -> float:
        if self.waiting_since is None:
            return 0.0
        return now - max(self.waiting_since, self._confirmed_at)

    def reason_to_give_up(self, now: float) -> str | None:
        """Return why the other end is given up, if it is."""
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
        """Whether it was not there when something came to it last."""
        return self._absent_since is not None

    # -- pings ----------------------------------------------------------------------------------------------

    @property
    def is_asking(self) -> bool:
        """Whether a ping is out that is not answered yet."""
        return self._pinged_at is not None

    def is_lost(self, now: float) -> bool:
        """Return whether the ping may have come to nobody: nothing was answered over this path yet."""
        return self.is_asking and not self._is_proven and now >= self._pinged_again_at + _PROBE_AWAY

    def is_ping_due(self, now: float) -> bool:
        """Return whether to ask for a sign of life."""
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
        """Return the number of the ping to send, which says so if frames up to `sent` have not come."""
        if self._pinged_at is None:
            self._ping += 1
            self._pinged_at = now
            self._pinged_up_to = sent
        self._pinged_again_at = now
        return self._ping

    def pong(self, number: int, now: float) -> int | None:
        """Handle an answer; return the number of frames that should precede it, None if it is late."""
        if number != self._ping or self._pinged_at is None:
            return None
        self.rtt = now - self._pinged_at
        self.confirm(self._pinged_at)
        self._pinged_at = self._absent_since = None
        self._is_proven = True
        return self._pinged_up_to
