"""From messages of our agents to those of other platforms, and back."""

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
    """Knows how agents are named on either side.

    Args:
        domain: the full domain of the gateway's container, where agents of other platforms have names.
        platform: the domain of its platform.
        address: where the gateway takes messages.
        peers: what is known of other platforms.
    """

    def __init__(self, domain: str, platform: str, address: str, peers: Peers) -> None:
        self._domain = domain
        self._platform = platform
        self.address = address
        self._peers = peers

    # -- names ----------------------------------------------------------------------------------------------

    def is_ours(self, platform: str) -> bool:
        """Return whether what another platform names as one is ours, or a container of it."""
        return platform == self._platform or platform.endswith(f".{self._platform}")

    def is_foreign(self, address: str) -> bool:
        """Return whether a full name here is that of an agent of another platform."""
        local, _, domain = address.partition("@")
        return domain == self._domain and is_foreign(local)

    def address_of(self, name: str) -> str:
        """Return the full name here of an agent, by FIPA's name of it.

        Raises:
            InvalidNameError: an address cannot have it.
        """
        if self.is_ours(platform_of(name)):
            return check_receiver(name.lower())
        return f"{to_local(name)}@{self._domain}"

    def identifier_of(self, address: str) -> AgentIdentifier:
        """Return who an agent is to other platforms, by its full name here.

        Raises:
            InvalidNameError: it is that of an agent of another platform, and cannot be one.
        """
        if self.is_foreign(address):
            return self._peers.find(address.partition("@")[0])
        return AgentIdentifier(address, (self.address,))

    # -- messages -------------------------------------------------------------------------------------------

    def outgoing(self, message: Message) -> AclMessage:
        """Return a message of an agent here as other platforms have it.

        Raises:
            FormicaryError: they have no place for something in it.
        """
        message.check()
        parameters = dict(message.metadata or {})
        if message.thread is not None:
            parameters[_THREAD] = message.thread
        reply_to = None if message.reply_to is None else complete_for(message.reply_to, message.sender)
        body = message.body
        return AclMessage(
            message.performative or "inform",  # a message has to have one there
            sender=None if message.sender is None else self.identifier_of(message.sender),
            receivers=tuple(map(self.identifier_of, message.receivers)),
            reply_to=() if reply_to is None else (self.identifier_of(reply_to),),
            content=body if isinstance(body, bytes) or body else None,
            reply_by=message.reply_by,
            parameters=parameters,
            **{field: getattr(message, field) for field in EXPRESSIONS.values()},
        )

    def incoming(self, acl: AclMessage, sender: AgentIdentifier, receiver: str) -> Message:
        """Return a message of another platform as an agent here gets it.

        Args:
            acl: the message.
            sender: who has sent it.
            receiver: the full name of who gets it.

        Raises:
            FormicaryError: agents here have no place for something in it.
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
        """Return what an agent is told where another platform says that it could not bring a message.

        It is told as by its own container, so that whoever waits for an answer waits no longer. A platform
        can say that only of its own agents.
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
    """Return whether two are the same platform, or containers of one."""
    above = platform.partition(".")[2]
    return platform == other or ("." in above and above == other.partition(".")[2])
