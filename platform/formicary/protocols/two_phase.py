"""The coordinator's side of two-phase commit (Gray 1978): all partners commit, or none does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.core.errors import ConversationError, FormicaryError, NoAnswerError, RefusedError
from formicary.core.message import Message
from formicary.core.times import check_seconds
from formicary.protocols.news import good_news
from formicary.protocols.partners import find_all
from formicary.protocols.several import Several
from formicary.protocols.standard import TwoPhaseCommit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.protocols.conversations import Conversations
    from formicary.protocols.dialogue import Dialogue
    from formicary.protocols.partners import Partners


class Commit(Several):
    """One two-phase commit."""

    async def run(self, partners: Iterable[str] | Partners, body: str | bytes, timeout: float) -> None:
        """Make all partners commit, or none; as of `Conversing.two_phase_commit`."""
        try:
            for name in await find_all(self._conversations, partners):
                await self._open(name).send("query-if", body)
            try:
                await self._vote(timeout)
            except BaseException:
                for dialogue in self._in_state("asked", "ready"):
                    self._conversations.post(dialogue.say("reject-proposal"), dialogue.name)
                raise
            for dialogue in self._in_state("ready"):
                await dialogue.send("accept-proposal", body)
            await self._confirm(timeout)
        finally:
            for dialogue in self._in_state("aborting"):
                dialogue.stage = TwoPhaseCommit.stages["aborted"]  # it is finished, and not to be cancelled
            self._close()

    async def _vote(self, timeout: float) -> None:
        until = asyncio.get_running_loop().time() + timeout
        waiting = self._in_state("asked")
        while self._some_are(waiting, "asked"):
            heard = await self._hear(max(0.0, until - asyncio.get_running_loop().time()))
            if not heard:
                raise _missing(self._in_state("asked"), "did not vote in time, so the transaction is aborted")
            for dialogue, news in heard:
                if dialogue.state == "against" and isinstance(news, Message):
                    raise RefusedError(
                        f"{dialogue.partner} voted against it, so the transaction is aborted: {news.body!s}",
                        news,
                    )
                good_news(news)
        self._raise_lost()

    async def _confirm(self, timeout: float) -> None:
        until = asyncio.get_running_loop().time() + timeout
        problem: FormicaryError | None = None
        waiting = self._in_state("committing")
        while self._some_are(waiting, "committing"):
            heard = await self._hear(max(0.0, until - asyncio.get_running_loop().time()))
            if not heard:
                raise _missing(
                    self._in_state("committing"), "did not confirm the commit, although all voted for it"
                )
            for _, news in heard:
                try:
                    good_news(news)
                except ConversationError as error:
                    problem = problem or error
        if problem is not None:
            raise problem

    def _raise_lost(self) -> None:
        """Raise what happened to a partner that had voted for it."""
        for _, news in self._inbox.come:
            good_news(news)


def _missing(waiting: list[Dialogue], what: str) -> NoAnswerError:
    names = tuple(dialogue.partner for dialogue in waiting)
    return NoAnswerError(f"{', '.join(names)} {what}", names)


async def two_phase_commit(
    conversations: Conversations, partners: Iterable[str] | Partners, body: str | bytes, timeout: float
) -> None:
    """Make all partners commit, or none; as of `Conversing.two_phase_commit`."""
    await Commit(conversations, TwoPhaseCommit).run(partners, body, check_seconds(timeout))
