"""The initiator's side of conversations: for behaviours, and for programs outside any agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable
    from datetime import datetime
    from typing import Any

    from formicary.core.message import Message
    from formicary.protocols.auctions import AuctionResult
    from formicary.protocols.contract_net import ContractNetSession
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.gathering import Answers
    from formicary.protocols.partners import Partners
    from formicary.protocols.requesting import Conversation, SubscriptionSession
    from formicary.protocols.table import Protocol


class Conversing:
    """Asks agents, and holds conversations with them; a base of behaviours and containers."""

    __slots__ = ()

    @property
    def conversations(self) -> Conversations:
        """The conversations of the agent or container."""
        raise NotImplementedError

    def ask(self, message: Message, timeout: float | None = None) -> Coroutine[Any, Any, Message]:
        """Send a message to one agent, and return its answer; await it.

        The answer is the message whose `in_reply_to` is this message's `reply_with`, which is set here; see
        `Message.make_reply`. It bypasses the behaviours' mailboxes, so each of several simultaneous questions
        gets its own answer. Any performative is an answer, even `refuse`. Later answers are dead letters.

        Args:
            message: a message with one receiver; its `reply_with` is replaced.
            timeout: seconds to wait for the answer; None for no limit.

        Raises:
            NoAnswerError: there was no answer in time.
            FailedError: the message could not be delivered, or the agent or its container ended.
            InvalidMessageError: the message has no receiver, or several.
            UsageError: the timeout is not a number of seconds; here and in all methods below.
            FormicaryError: it cannot be sent; as of `Behaviour.send`.
            asyncio.CancelledError: when cancelled; the message may have been sent.
        """
        return self.conversations.ask(message, timeout)

    def gather_answers(
        self,
        messages: Iterable[Message],
        timeout: float | None = None,
        *,
        deadline: datetime | None = None,
    ) -> Answers:
        """Send several messages, and yield the answers as they arrive: `async for answer in ...`.

        The iteration ends when every receiver has answered, has ended or could not be reached, or at the
        timeout. Then `missing` of the returned object has those that did not answer, and `failed` those that
        failed, with the reasons.

        Args:
            messages: the messages; each receiver of each of them may answer.
            timeout: seconds to wait for answers; None for no limit.
            deadline: when to stop waiting, instead of a timeout.

        Raises:
            InvalidMessageError: a message has no receiver.
            UsageError: the timeout or the deadline is not a time, or both are given.
            FormicaryError: a message cannot be sent; as of `Behaviour.send`.
        """
        return self.conversations.gather_answers(messages, timeout, deadline)

    # -- protocols ------------------------------------------------------------------------------------------

    def request(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Request an action of an agent, and return its final `inform`; await it (FIPA SC00026).

        An `agree` before that is skipped. At the timeout, or when this is cancelled, the agent is sent a
        `cancel`.

        Args:
            to: an agent's name; or `search(...)` or `role(...)` of `formicary.protocols`: the first found.
            body: the request.
            timeout: seconds to wait for the result, which the agent is told in `reply_by`; None for no limit.
            fields: further parameters of the message, such as `language`.

        Raises:
            RefusedError, NotUnderstoodError: the agent answered so; `message` is its answer.
            FailedError: the agent answered so, has ended, or cannot be reached.
            NoAnswerError: there was no result in time.
            FormicaryError: the request cannot be sent; as of `Behaviour.send`.
            asyncio.CancelledError: when cancelled.
        """
        conversations = self.conversations
        return conversations.exchange(conversations.known.Request, to, body, timeout, fields)

    def request_when(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Request an action once a condition holds (FIPA SC00028); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.RequestWhen, to, body, timeout, fields)

    def query_if(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask an agent whether a statement is true (FIPA SC00027); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.QueryIf, to, body, timeout, fields)

    def query_ref(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask an agent for the value of an expression (FIPA SC00027); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.QueryRef, to, body, timeout, fields)

    def propose(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Propose to do something, and return the `accept-proposal` (FIPA SC00036); as `request`.

        Raises:
            RefusedError: the proposal was rejected.
        """
        conversations = self.conversations
        return conversations.exchange(conversations.known.Proposing, to, body, timeout, fields)

    def broker(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask a broker to find an agent and pass on its answer (FIPA SC00033); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.Brokering, to, body, timeout, fields)

    def recruit(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask a recruiter to find an agent, which then answers itself (FIPA SC00034); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.Recruiting, to, body, timeout, fields)

    def subscribe(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> SubscriptionSession:
        """Return a subscription to an agent's notifications (FIPA SC00035).

        Use `async with`, then `async for`; leaving the block sends a `cancel`. When no more will come, the
        loop raises the errors of `request`.

        Args: those of `request`; `timeout` is for the first answer.
        """
        return self.conversations.subscription(to, body, timeout, fields)

    def contract_net(
        self,
        bidders: Iterable[str] | Partners,
        task: str | bytes = "",
        *,
        timeout: float | None = None,
        deadline: datetime | None = None,
        **fields: Any,
    ) -> ContractNetSession:
        """Call for proposals, and award the task to the bidders of your choice (FIPA SC00029).

        Use `async with ... as net`, then `async for bid in net.bids` and `await net.award(bid)`. Leaving the
        block rejects all other proposals. `net.missing`, `net.refused` and `net.failed` have the agents that
        made none.

        Args:
            bidders: the names of the agents; or `search(...)` or `role(...)`.
            task: the content of the call.
            timeout: seconds to wait for bids; None to wait until all have answered.
            deadline: when to stop waiting, instead of a timeout.
            fields: further parameters of the call, such as `language`.
        """
        conversations, protocol = self.conversations, self.conversations.known.ContractNet
        return conversations.contract_net(protocol, bidders, task, timeout, deadline, fields)

    def iterated_contract_net(
        self,
        bidders: Iterable[str] | Partners,
        task: str | bytes = "",
        *,
        timeout: float | None = None,
        deadline: datetime | None = None,
        **fields: Any,
    ) -> ContractNetSession:
        """Call for proposals in rounds (FIPA SC00030): as `contract_net`, and with `net.call_again`."""
        conversations, protocol = self.conversations, self.conversations.known.IteratedContractNet
        return conversations.contract_net(protocol, bidders, task, timeout, deadline, fields)

    def english_auction(
        self,
        bidders: Iterable[str] | Partners,
        item: str,
        *,
        start: float,
        step: float,
        timeout: float = 1.0,
    ) -> Coroutine[Any, Any, AuctionResult | None]:
        """Sell an item to the highest bidder; await it for the winner and the price (FIPA XC00031).

        The price rises by a step for as long as an agent other than the leader bids it; the first to bid
        leads. The result is None if nobody bids the first price. An `inform` tells all bidders the end.

        Args:
            bidders: the names of the agents; or `search(...)` or `role(...)`.
            item: the item for sale.
            start: the first price.
            step: the amount by which it rises.
            timeout: seconds to wait for a bid in each round.

        Raises:
            UsageError: a price or the timeout is not a number above 0.
            FormicaryError: a message cannot be sent; as of `Behaviour.send`.
            asyncio.CancelledError: when cancelled; the bidders are told.
        """
        return self.conversations.english_auction(bidders, item, start=start, step=step, timeout=timeout)

    def dutch_auction(
        self,
        bidders: Iterable[str] | Partners,
        item: str,
        *,
        start: float,
        step: float,
        reserve: float,
        timeout: float = 1.0,
    ) -> Coroutine[Any, Any, AuctionResult | None]:
        """Sell an item to the first bidder; await it for the winner and the price (FIPA XC00032).

        Args:
            bidders: as of `english_auction`, as are `item`, `start` and `timeout`.
            item: the item for sale.
            start: the first price.
            step: the amount by which it falls.
            reserve: the lowest price; if nobody bids it, the result is None.
            timeout: seconds to wait for a bid in each round.
        """
        return self.conversations.dutch_auction(
            bidders, item, start=start, step=step, reserve=reserve, timeout=timeout
        )

    def two_phase_commit(
        self, partners: Iterable[str] | Partners, body: str | bytes = "", *, timeout: float
    ) -> Coroutine[Any, Any, None]:
        """Request an action of all agents or none; await it (Gray 1978).

        Each is sent `query-if`. If all answer `confirm`, all are sent `accept-proposal` and perform the
        action; otherwise all are sent `reject-proposal`.

        Args:
            partners: the names of the agents; or `search(...)` or `role(...)`.
            body: the action.
            timeout: seconds for all to vote, and again for all to perform it.

        Raises:
            RefusedError, NotUnderstoodError: an agent voted against it, so none performs it.
            FailedError: an agent voted so, or failed to perform it.
            NoAnswerError: an agent did not vote in time, so none performs it; or did not report that it has.
            asyncio.CancelledError: when cancelled; unless all have voted, none performs it.
        """
        return self.conversations.two_phase_commit(partners, body, timeout)

    def converse(
        self, protocol: Protocol, partner: str | Partners, *, timeout: float | None = None
    ) -> Conversation:
        """Hold a conversation by any protocol, step by step: `async with self.converse(...) as talk`.

        Args:
            protocol: the protocol, which may be your own.
            partner: an agent's name; or `search(...)` or `role(...)`: the first found.
            timeout: seconds to wait for the partner in states that have a timeout; None for no limit.
        """
        return self.conversations.conversation(protocol, partner, timeout)
