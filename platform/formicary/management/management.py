"""The platform's white pages and life-cycle requests, from any of its containers, in Python."""

from __future__ import annotations

from formicary.management.requests.creating import Creating
from formicary.management.requests.lives import Lives
from formicary.management.requests.looking_up import LookingUp
from formicary.management.requests.places import Places


class Management(LookingUp, Lives, Places, Creating):
    """The white pages of the platform, and what can be done with its agents: `container.management`.

    Requests that concern its own container are performed without a message.

    Args:
        router: does what is asked.
    """
