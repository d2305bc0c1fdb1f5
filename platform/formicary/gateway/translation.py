"""Translation between messages of our agents and those of other platforms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formicary import Message
from formicary.errors import InvalidMessageError
from formicary.extending import MANAGEMENT, check_receiver, complete_for
from formicary.gateway.acl_message import EXPRESSIONS, AclMessage, AgentIdentifier
from formicary.gateway.foreign_names import is_foreign, platform_of, to_local

if TYPE_CHECKING:
    from formicary.gateway.peers import Peers

_THREAD = "XMPP-Thread"  # the parameter for XMPP's thread, which ACL does not have
_UNDELIVERED = re.compile(
    r"MTS-error\s+\(\s*agent-identifier\s+:name\s+(?:\"([^\"]+)\"|([^\s()\"]+))", re.IGNORECASE
)


class Translator:
    """Translates messages and agents' names.

    Args:
        domain: the full domain of the gateway's container, which contains the names of other platforms'
            agents.
        platform: the domain of its platform.
        address: the gateway's address for other platforms.
        peers: the known platforms.
    """

    def __init__(self, domain: str, platform: str, address: str, peers: Peers) -> None:
        self._domain = domain
        self._platform = platform
        self.address = address
        self._peers = peers

    # -- names ----------------------------------------------------------------------------------------------

    def is_ours(self, platform: str) -> bool:
        """Return whether another platform's name for a platform means ours, or a container of it."""
        return platform == self._platform or platform.endswith(f".{self._platform}")

    def is_foreign(self, address: str) -> bool:
        """Return whether a full name here belongs to an agent of another platform."""
        local, _, domain = address.partition("@")
        return domain == self._domain and is_foreign(local)

    def address_of(self, name: str) -> str:
        """Return an agent's full name here, by its FIPA name.

        Raises:
            InvalidNameError: it cannot be part of an address.
        """
        if self.is_ours(platform_of(name)):
            return check_receiver(name.lower())
        return f"{to_local(name)}@{self._domain}"

    def identifier_of(self, address: str) -> AgentIdentifier:
        """Return an agent's identifier for other platforms, by its full name here.

        Raises:
            InvalidNameError: it is an invalid name of another platform's agent.
        """
        if self.is_foreign(address):
            return self._peers.find(address.partition("@")[0])
        return AgentIdentifier(address, (self.address,))

    # -- messages -------------------------------------------------------------------------------------------

    def outgoing(self, message: Message) -> AclMessage:
        """Translate a message of an agent here for other platforms.

        Raises:
            FormicaryError: ACL cannot represent a part of it.
        """
        message.check()
        parameters = dict(message.metadata or {})
        if message.thread is not None:
            parameters[_THREAD] = message.thread
        reply_to = None if message.reply_to is None else complete_for(message.reply_to, message.sender)
        body = message.body
        return AclMessage(
            message.performative or "inform",  # required there
            sender=None if message.sender is None else self.identifier_of(message.sender),
            receivers=tuple(map(self.identifier_of, message.receivers)),
            reply_to=() if reply_to is None else (self.identifier_of(reply_to),),
            content=body if isinstance(body, bytes) or body else None,
            reply_by=message.reply_by,
            parameters=parameters,
            **{field: getattr(message, field) for field in EXPRESSIONS.values()},
        )

    def incoming(self, acl: AclMessage, sender: AgentIdentifier, receiver: str) -> Message:
        """Translate a message of another platform for an agent here.

        Raises:
            FormicaryError: it cannot be represented here.
        """
        if (failure := self._undelivered(acl, sender, receiver)) is not None:
            return failure
        if len(acl.reply_to) > 1:
            raise InvalidMessageError(
                "the message wants answers sent to several agents, which is not supported here"
            )
        parameters = dict(acl.parameters)
        thread = parameters.pop(_THREAD, None)
        message = Message(
            to=receiver,
            sender=self.address_of(sender.name),
            body="" if acl.content is None else acl.content,
            performative=acl.performative,
            thread=thread,
            reply_to=self.address_of(acl.reply_to[0].name) if acl.reply_to else None,
            reply_by=acl.reply_by,
            metadata=parameters or None,
            **{field: getattr(acl, field) for field in EXPRESSIONS.values()},
        )
        message.check()
        return message

    def _undelivered(self, acl: AclMessage, sender: AgentIdentifier, receiver: str) -> Message | None:
        """Return the failure for a message that another platform reports as undelivered.

        It appears to come from the agent's own container, so that a request ends at once. A platform can
        report this only for its own agents.
        """
        local, _, platform = sender.name.lower().rpartition("@")
        if acl.performative != "failure" or local != MANAGEMENT or not isinstance(acl.content, str):
            return None
        found = _UNDELIVERED.search(acl.content)
        name = (
            found[1] or found[2] if found else acl.parameters.get("receiver")
        )  # of JADE; as containers say it
        if not name or "@" not in name or not _are_of_one(platform, platform_of(name)):
            return None
        return Message(
            to=receiver,
            sender=f"{MANAGEMENT}@{self._domain}",
            body=f"the platform {platform} cannot deliver the message to {name}: {acl.content}",
            performative="failure",
            ontology="fipa-agent-management",
            protocol=acl.protocol,
            conversation_id=acl.conversation_id,
            in_reply_to=acl.in_reply_to,
            metadata={"receiver": self.address_of(name)},
        )


def _are_of_one(platform: str, other: str) -> bool:
    """Return whether two names mean the same platform, or containers of one."""
    above = platform.partition(".")[2]
    return platform == other or ("." in above and above == other.partition(".")[2])
