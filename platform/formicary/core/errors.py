"""Everything that Formicary raises for its users.

A small flat set, named after the situation. Each message is one sentence that says what is wrong and what
to do next; the command line prints it as it stands and ends with the class's `exit_code`. Whatever a sentence
quotes, it can be printed: `str()` shows control characters by their escape sequences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.quoting import paragraph

if TYPE_CHECKING:
    from formicary.core.message import Message


class FormicaryError(Exception):
    """Something went wrong that its message explains; the base of all errors here."""

    exit_code = 1

    def __str__(self) -> str:
        """Return the sentence, with nothing in it that begins a line or steers a terminal."""
        return paragraph(super().__str__())


class UsageError(FormicaryError):
    """A command was given something that it cannot take."""

    exit_code = 2


class InvalidNameError(FormicaryError, ValueError):
    """A name of an agent, a container or a platform is not a name."""

    exit_code = 2


class InvalidMessageError(FormicaryError, ValueError):
    """A message was given a value that a message cannot have."""


class NameTakenError(FormicaryError):
    """An agent of this name lives in the container already, or a container of this name at the server."""


class AgentStateError(FormicaryError):
    """An operation is not possible in the current state of the agent or behaviour."""


class DefinitionError(FormicaryError, TypeError):
    """A class of agents or behaviours is not written as it has to be, or something else is given for one."""


class UnsupportedError(FormicaryError, NotImplementedError):
    """A function is not available: on this system, for this agent, or on this platform."""


class MailboxFullError(FormicaryError):
    """The receiver's mailbox stayed full: the message was not delivered."""


class MessageTooLargeError(FormicaryError):
    """A message is larger than the link to its receiver can carry."""


class ComputeError(FormicaryError):
    """A function could not be computed beside the event loop."""


class ContainerClosedError(FormicaryError):
    """The container is not running, or it stopped meanwhile."""


class ContainerLostError(FormicaryError):
    """A container in a process of its own cannot be started, or has ended by itself."""


class LinkError(FormicaryError):
    """The connection to the XMPP server cannot be made, or it broke and did not come back in time."""

    exit_code = 3


class AuthenticationError(LinkError):
    """The XMPP server refused the container's name or secret."""


class ServerError(FormicaryError):
    """The managed Prosody cannot be started, stopped or asked."""

    exit_code = 3


class AccountError(ServerError):
    """The managed Prosody has such an account already, or has none such."""

    exit_code = 1


class UndeliveredError(FormicaryError):
    """A request could not be delivered to who should answer it."""


class ConversationError(FormicaryError):
    """A conversation did not come to its result.

    Args:
        text: the sentence that says what has happened.
        message: the message that was the cause.

    Attributes:
        message: that message; None where there was none.
    """

    def __init__(self, text: str, message: Message | None = None) -> None:
        super().__init__(text)
        self.message = message


class RefusedError(ConversationError):
    """The agent asked does not want to do it: it answered `refuse`, or rejected a proposal."""


class FailedError(ConversationError):
    """The agent asked could not do it: it answered `failure`, ended, or could not be reached."""


class NotUnderstoodError(ConversationError):
    """The agent asked did not understand a message: it answered `not-understood`."""


class NoAnswerError(ConversationError):
    """The agent asked did not answer in time.

    Args:
        text: the sentence that says so.
        missing: the full names of all who have not answered.

    Attributes:
        missing: these names.
    """

    def __init__(self, text: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.missing = missing


class ProtocolError(ConversationError):
    """A message has no place in its conversation, or a protocol is not written as it has to be."""


class ManagementError(FormicaryError):
    """The management agent of a container did not do what it was asked.

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
    """The agent did not move: it continues where it is."""

    reason = "not-moved"


class UnknownAgentError(ManagementError):
    """There is no agent of this name."""

    reason = "not-registered"


class InvalidDescriptionError(FormicaryError, ValueError):
    """A description of a service, or a query for one, has a value that it cannot have."""


class DirectoryError(FormicaryError):
    """The directory did not do what it was asked.

    Attributes:
        reason: why, by FIPA00023's name for it.
    """

    reason = "internal-error"


class AlreadyRegisteredError(DirectoryError):
    """The agent has registered a service of this name before."""

    reason = "already-registered"


class NotRegisteredError(DirectoryError):
    """The agent has not registered a service of this name, or it has ended."""

    reason = "not-registered"


class TooManyServicesError(DirectoryError):
    """The agent has registered as many services as an agent may."""

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
    """The file of a directory cannot be read or written."""

    exit_code = 3


class GroupError(FormicaryError):
    """A request in a group cannot be fulfilled."""


class GroupExistsError(GroupError):
    """There is a group of this name in the community already."""


class NoSuchGroupError(GroupError):
    """There is no such group, as far as is known here."""


class AdmissionError(GroupError):
    """The group's gatekeeper, or the manager's absence, keeps the agent from the role."""


class NotAMemberError(GroupError):
    """The agent is not in the group, or does not play the role."""


class NobodyError(GroupError):
    """Nobody else plays the role."""


class ProfilingError(FormicaryError):
    """A program cannot be profiled, or nothing was found of where its time goes."""


class TracingError(ProfilingError):
    """The sampler is not installed, or nobody may look into the process with it."""
