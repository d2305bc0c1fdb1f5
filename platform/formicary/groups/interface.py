"""The interface of groups to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary.core.errors import GroupExistsError, NobodyError, NoSuchGroupError
from formicary.core.message import stamp
from formicary.groups.mailing import send
from formicary.groups.naming import Role, check_name
from formicary.groups.service import address_of, not_a_member
from formicary.groups.subscription import GroupSubscription

if TYPE_CHECKING:
    from formicary.core.base_agent import BaseAgent
    from formicary.core.message import Message
    from formicary.groups.admission import Gatekeeper
    from formicary.groups.roster import Group, Players
    from formicary.groups.service import GroupService

PUBLIC = "public"
"""The default community of groups."""


class AgentGroups:
    """An agent's access to the groups of the platform: `agent.groups`.

    The names of communities, groups and roles are 1 to 255 printable characters without `/`: `create` and
    `request_role` raise InvalidNameError with any other. All raise DirectoryError if the directory cannot be
    reached, and NameTakenError if an agent of the container has the name `formicary-groups`, which they need.
    """

    __slots__ = ("_agent", "_service")

    def __init__(self, service: GroupService, agent: BaseAgent) -> None:
        self._service = service
        self._agent = agent

    # -- taking part ----------------------------------------------------------------------------------------

    async def create(
        self,
        group: str,
        *,
        community: str = PUBLIC,
        gatekeeper: Gatekeeper | None = None,
        distributed: bool = True,
        exist_ok: bool = False,
    ) -> None:
        """Create a group, and play the role `manager` in it. It ends when its last member leaves.

        Args:
            group: the group's name.
            community: the name of its community.
            gatekeeper: decides who may play a role: a function or coroutine function of the agent's full
                name, the role and the pass key that returns a bool, or the reason for a refusal. It has
                10 s; an exception refuses. None admits everybody.
            distributed: whether all containers of the platform have the group, or only this one.
            exist_ok: whether to leave an existing group of this name as it is, instead of raising.

        Raises:
            GroupExistsError: a group of this name is known here.
            AgentStateError: the agent has ended.
        """
        check_name("group", group)
        check_name("community", community)
        await self._service.open()
        try:
            await self._service.create(self._agent, community, group, gatekeeper, is_shared=distributed)
        except GroupExistsError:
            if not exist_ok:
                raise

    async def request_role(
        self, group: str, role: str, *, community: str = PUBLIC, pass_key: Any = None
    ) -> None:
        """Play a role in a group, as a member of it; do nothing if the agent already plays it.

        Args:
            group: the group's name.
            role: the role's name; `manager` is reserved for the group's creator.
            community: the name of the group's community.
            pass_key: passed to the group's gatekeeper: any value that JSON can encode.

        Raises:
            NoSuchGroupError: no such group is known here.
            AdmissionError: the gatekeeper refuses, with its reason, or is gone.
            GroupError: the container of the group's manager cannot be asked.
            InvalidMessageError: JSON cannot encode the pass key.
            AgentStateError: the agent has ended.
        """
        asked = Role(check_name("community", community), check_name("group", group), check_name("role", role))
        await self._service.open()
        await self._service.request_role(self._agent, asked, pass_key)

    async def leave_role(self, group: str, role: str, *, community: str = PUBLIC) -> None:
        """Stop playing a role; an agent without another role in the group has left it.

        Args:
            group: the group's name.
            role: the role's name.
            community: the name of the group's community.

        Raises:
            NotAMemberError: the agent does not play it.
        """
        await self._service.leave_role(address_of(self._agent), Role(community, group, role))

    async def leave(self, group: str, *, community: str = PUBLIC) -> None:
        """Stop playing all roles in a group.

        Args:
            group: the group's name.
            community: the name of its community.

        Raises:
            NotAMemberError: the agent is not in the group.
        """
        await self._service.leave(address_of(self._agent), community, group)

    # -- lookups --------------------------------------------------------------------------------------------

    async def communities(self) -> tuple[str, ...]:
        """Return the names of all communities that have groups."""
        await self._service.open()
        return tuple(dict.fromkeys(self._service.shared.communities() + self._service.local.communities()))

    async def groups(self, community: str = PUBLIC) -> tuple[str, ...]:
        """Return the names of all groups of a community."""
        await self._service.open()
        service = self._service
        return tuple(dict.fromkeys(service.shared.groups(community) + service.local.groups(community)))

    async def roles(self, group: str, *, community: str = PUBLIC) -> tuple[str, ...]:
        """Return the roles played in a group; none if there is no such group."""
        found = await self._find(community, group)
        return () if found is None else tuple(found.roles)

    async def agents(
        self, group: str, role: str | None = None, *, community: str = PUBLIC
    ) -> tuple[str, ...]:
        """Return the full names of all players of a role.

        Args:
            group: the group's name.
            role: the role's name; None for all members.
            community: the name of the group's community.
        """
        found = await self._find(community, group)
        return () if found is None else tuple(found.players(role) or ())

    def subscribe(self, group: str, role: str | None = None, *, community: str = PUBLIC) -> GroupSubscription:
        """Return a subscription to the players of a role. The group need not exist yet.

        Use `async with`, then `async for`:

            async with agent.groups.subscribe("market", "seller") as changes:
                async for change in changes:
                    ...

        Args:
            group: the group's name.
            role: the role's name; None for all roles.
            community: the name of the group's community.
        """
        return GroupSubscription(self._service, community, group, role)

    # -- sending --------------------------------------------------------------------------------------------

    async def send(
        self, message: Message, group: str, role: str | None = None, *, community: str = PUBLIC
    ) -> int:
        """Send a message to all other players of a role, and return their number.

        Without room, it waits, as `Behaviour.send` does. Each player gets the message with its own name as
        `to`. If cancelled, players without room do not get it.

        Args:
            message: the message; its `to` is ignored.
            group: the group's name.
            role: the role's name; None for all members.
            community: the name of the group's community.

        Raises:
            NoSuchGroupError, NotAMemberError: there is no such group; this agent is not in it.
            FormicaryError: it could not be sent to some, as of `Behaviour.send`; the others have it.
        """
        players = await self._players(community, group, role)
        if players is None:
            return 0
        sender = address_of(self._agent)
        return await send(self._service.container, message, sender, players, (community, group, role))

    async def send_to_one(
        self, message: Message, group: str, role: str | None = None, *, community: str = PUBLIC
    ) -> str:
        """Send a message to one other player of a role, and return its full name.

        The player is the one that this container chose least recently, so that all have their turn.

        Args: those of `send`.

        Raises:
            NobodyError: nobody else plays the role.
            NoSuchGroupError, NotAMemberError: as of `send`.
            FormicaryError: it could not be sent, as of `Behaviour.send`.
        """
        players = await self._players(community, group, role)
        sender = address_of(self._agent)
        chosen = None if players is None else players.choose(sender)
        if chosen is None:
            what = "is a member" if role is None else f"plays the role {role!r}"
            raise NobodyError(f"no other agent {what} in the group {group!r}")
        await self._service.container.dispatcher.send(stamp(message.replace(to=chosen), sender))
        return chosen

    async def _find(self, community: str, group: str) -> Group | None:
        await self._service.open()
        return self._service.find(community, group)

    async def _players(self, community: str, group: str, role: str | None) -> Players | None:
        """Return the players of a role in a group of which the agent is a member."""
        found = await self._find(community, group)
        if found is None:
            raise NoSuchGroupError(f"no group {group!r} in the community {community!r}")
        if address_of(self._agent) not in found.roles_of:
            raise not_a_member(address_of(self._agent), group)
        return found.players(role)
