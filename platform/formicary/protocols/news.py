"""Raises messages that are bad news as errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.errors import FailedError, NotUnderstoodError, RefusedError
from formicary.core.message import Message

if TYPE_CHECKING:
    from formicary.core.errors import ConversationError, FormicaryError

BAD_NEWS: dict[str | None, tuple[type[ConversationError], str]] = {
    "refuse": (RefusedError, "refused"),
    "reject-proposal": (RefusedError, "rejected the proposal"),
    "failure": (FailedError, "failed"),
    "not-understood": (NotUnderstoodError, "did not understand"),
}
"""The error raised for a message, and the rest of its sentence after the sender; by performative."""


def good_news(news: Message | FormicaryError) -> Message:
    """Return a message unless it is bad news.

    Raises:
        RefusedError, FailedError, NotUnderstoodError, NoAnswerError: it is.
    """
    if not isinstance(news, Message):
        raise news
    if (bad := BAD_NEWS.get(news.performative)) is not None:
        error, what = bad
        said = f": {news.body!s}" if news.body else ""
        raise error(f"{news.sender} {what}{said}", news)
    return news
