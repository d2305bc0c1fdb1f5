"""The exceptions that Formicary raises.

Each message is a sentence that says what is wrong and what to do next; the command line prints it, and exits
with the class's `exit_code`. It is safe to print, whatever it quotes: `str()` escapes control characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.quoting import paragraph

if TYPE_CHECKING:
    from formicary.core.message import Message


class FormicaryError(Exception):
    """The base class of all errors here."""

    exit_code = 1

    def __str__(self) -> str:
        """Return the sentence, with control characters escaped."""
        return paragraph(super().__str__())


class UsageError(FormicaryError):
    """A command or a function was given an invalid value."""

    exit_code = 2


class InvalidNameError(FormicaryError, ValueError):
    """The name of an agent, a container or a platform is invalid."""

    exit_code = 2


class InvalidMessageError(FormicaryError, ValueError):
    """A parameter of a message is invalid."""


class NameTakenError(FormicaryError):
    """The container already has an agent of this name, or the server a container of this name."""


class AgentStateError(FormicaryError):
    """An operation is not possible in the current state of the agent or behaviour."""


class DefinitionError(FormicaryError, TypeError):
    """A class of agents or behaviours is not valid, or an object is not of such a class."""


class UnsupportedError(FormicaryError, NotImplementedError):
    """A feature is not available on this system, for this agent, or on this platform."""


class MailboxFullError(FormicaryError):
    """The receiver's mailbox remained full, so the message was not delivered."""


class MessageTooLargeError(FormicaryError):
    """A message is larger than the link to its receiver can carry."""


class ComputeError(FormicaryError):
    """A function could not be computed beside the event loop."""


class ContainerClosedError(FormicaryError):
    """The container is not running, or has stopped in the meantime."""


class ContainerLostError(FormicaryError):
    """A container in its own process cannot be started, or has ended unexpectedly."""


class LinkError(FormicaryError):
    """The connection to the XMPP server cannot be made, or was lost and not restored in time."""

    exit_code = 3


class AuthenticationError(LinkError):
    """The XMPP server refused the container's name or secret."""


class ServerError(FormicaryError):
    """The managed Prosody cannot be started, stopped or queried."""

    exit_code = 3


class AccountError(ServerError):
    """The managed Prosody already has this account, or does not have it."""

    exit_code = 1


class UndeliveredError(FormicaryError):
    """A request could not be delivered."""


class ConversationError(FormicaryError):
    """A conversation did not reach its result.

    Args:
        text: the sentence that says what happened.
        message: the message that caused it.

    Attributes:
        message: that message; None if there was none.
    """

    def __init__(self, text: str, message: Message | None = None) -> None:
        super().__init__(text)
        self.message = message


class RefusedError(ConversationError):
    """The agent is not willing to do it: it answered `refuse`, or rejected a proposal."""


class FailedError(ConversationError):
    """The agent was not able to do it: it answered `failure`, ended, or could not be reached."""


class NotUnderstoodError(ConversationError):
    """The agent did not understand a message: it answered `not-understood`."""


class NoAnswerError(ConversationError):
    """The agent did not answer in time.

    Args:
        text: the sentence that says so.
        missing: the full names of all agents that did not answer.

    Attributes:
        missing: these names.
    """

    def __init__(self, text: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.missing = missing


class ProtocolError(ConversationError):
    """A message has no place in its conversation, or a protocol is not valid."""


class ManagementError(FormicaryError):
    """The management agent of a container did not fulfil a request.

    Attributes:
        reason: why, by FIPA00023's name for it.
    """

    reason = "internal-error"


class ManagementRequestError(ManagementError, ValueError):
    """A request to a management agent is malformed, or names something unknown.

    Args:
        message: the sentence that says what is wrong.
        reason: why, by FIPA00023's name for it.
    """

    def __init__(self, message: str, reason: str = "unrecognised-parameter-value") -> None:
        super().__init__(message)
        self.reason = reason


class MoveError(ManagementError):
    """The agent did not move or sleep, and continues where it is; or it has ended: the message says so."""

    reason = "not-moved"


class UnknownAgentError(ManagementError):
    """There is no agent of this name."""

    reason = "not-registered"


class InvalidDescriptionError(FormicaryError, ValueError):
    """A value in the description of a service, or in a query, is invalid."""


class DirectoryError(FormicaryError):
    """The directory did not fulfil a request.

    Attributes:
        reason: why, by FIPA00023's name for it.
    """

    reason = "internal-error"


class AlreadyRegisteredError(DirectoryError):
    """The agent has already registered a service of this name."""

    reason = "already-registered"


class NotRegisteredError(DirectoryError):
    """The agent has not registered a service of this name, or it has ended."""

    reason = "not-registered"


class TooManyServicesError(DirectoryError):
    """The agent has registered as many services as it may."""

    reason = "too-many-services"


class UnauthorisedError(DirectoryError, ManagementError):
    """The agent may not do this, such as registering services of another agent."""

    reason = "unauthorised"


class DirectoryRequestError(DirectoryError, ValueError):
    """A request to the directory is malformed.

    Args:
        message: the sentence that says what is wrong.
        reason: why, by FIPA00023's name for it.
    """

    def __init__(self, message: str, reason: str = "unrecognised-value") -> None:
        super().__init__(message)
        self.reason = reason


class StoreError(DirectoryError):
    """The file of a directory, or of sleeping agents, cannot be read or written."""

    exit_code = 3


class GroupError(FormicaryError):
    """A request in a group cannot be fulfilled."""


class GroupExistsError(GroupError):
    """The community already has a group of this name."""


class NoSuchGroupError(GroupError):
    """There is no such group, as far as is known here."""


class AdmissionError(GroupError):
    """The group's gatekeeper, or the manager's absence, keeps the agent from the role."""


class NotAMemberError(GroupError):
    """The agent is not in the group, or does not play the role."""


class NobodyError(GroupError):
    """No other agent plays the role."""


class ProfilingError(FormicaryError):
    """A program cannot be profiled, or its profile is empty."""


class TracingError(ProfilingError):
    """The sampler is not installed, or may not inspect the process."""
