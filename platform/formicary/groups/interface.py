"""Groups as an agent sees them."""

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
"""The community of groups for which none is named."""


class AgentGroups:
    """The groups of the platform, in which agents play roles: `agent.groups`.

    The names of communities, groups and roles are 1 to 255 printable characters without `/`: `create` and
    `request_role` raise InvalidNameError with any other. All raise DirectoryError if the directory cannot be
    reached, and NameTakenError if an agent of the container has the name `formicary-groups`, which they need.

    Args:
        service: the container's part of the groups.
        agent: the agent.
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
        """Create a group, and play the role `manager` in it. It ends when its last member has left.

        Args:
            group: the group's name.
            community: the name of its community.
            gatekeeper: decides who may play a role: a function or coroutine function of the agent's full
                name, the role and the pass key, that returns whether it may, or the reason why not. It has
                10 s; if it fails, it refuses. None: everybody may.
            distributed: whether all containers of the platform have the group, or only this one.
            exist_ok: whether it is no error if there is one of this name: then that stays as it is.

        Raises:
            GroupExistsError: there is one of this name, as far as is known here.
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
        """Play a role in a group, and so be a member of it; if the agent does already, nothing happens.

        Args:
            group: the group's name.
            role: the role's name; `manager` is only for who has created the group.
            community: the name of the group's community.
            pass_key: what the group's gatekeeper is shown: anything that JSON can say.

        Raises:
            NoSuchGroupError: there is no such group, as far as is known here.
            AdmissionError: the gatekeeper refuses, with its reason; or there is none any more.
            GroupError: the container of the group's manager cannot be asked.
            InvalidMessageError: JSON cannot say the pass key.
            AgentStateError: the agent has ended.
        """
        asked = Role(check_name("community", community), check_name("group", group), check_name("role", role))
        await self._service.open()
        await self._service.request_role(self._agent, asked, pass_key)

    async def leave_role(self, group: str, role: str, *, community: str = PUBLIC) -> None:
        """Play a role no longer; an agent that plays no other role in the group has left it.

        Args:
            group: the group's name.
            role: the role's name.
            community: the name of the group's community.

        Raises:
            NotAMemberError: the agent does not play it.
        """
        await self._service.leave_role(address_of(self._agent), Role(community, group, role))

    async def leave(self, group: str, *, community: str = PUBLIC) -> None:
        """Play no role any more in a group.

        Args:
            group: the group's name.
            community: the name of its community.

        Raises:
            NotAMemberError: the agent is not in the group.
        """
        await self._service.leave(address_of(self._agent), community, group)

    # -- looking --------------------------------------------------------------------------------------------

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
        """Return the roles that are played in a group; none if there is no such group."""
        found = await self._find(community, group)
        return () if found is None else tuple(found.roles)

    async def agents(
        self, group: str, role: str | None = None, *, community: str = PUBLIC
    ) -> tuple[str, ...]:
        """Return the full names of all who play a role.

        Args:
            group: the group's name.
            role: the role's name; None for all members.
            community: the name of the group's community.
        """
        found = await self._find(community, group)
        return () if found is None else tuple(found.players(role) or ())

    def subscribe(self, group: str, role: str | None = None, *, community: str = PUBLIC) -> GroupSubscription:
        """Return a subscription to who plays a role, and who comes and leaves. The group may not exist yet.

        Use it as `async with`, and go through it with `async for`:

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
        """Send a message to all others who play a role, and return how many they are.

        It waits where there is no room, as `Behaviour.send` does. Each of them gets the message with its own
        name as `to`. Cancelled, those who had no room do not get it.

        Args:
            message: the message; its `to` does not matter.
            group: the group's name.
            role: the role's name; None for all members.
            community: the name of the group's community.

        Raises:
            NoSuchGroupError, NotAMemberError: there is no such group; this agent is not in it.
            FormicaryError: some of them could not be sent it, as of `Behaviour.send`; the others have it.
        """
        players = await self._players(community, group, role)
        if players is None:
            return 0
        sender = address_of(self._agent)
        return await send(self._service.container, message, sender, players, (community, group, role))

    async def send_to_one(
        self, message: Message, group: str, role: str | None = None, *, community: str = PUBLIC
    ) -> str:
        """Send a message to one of the others who play a role, and return its full name.

        It is the one whom this container has chosen least recently, so all have their turn.

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
        """Return who plays a role in a group that the agent is in."""
        found = await self._find(community, group)
        if found is None:
            raise NoSuchGroupError(f"no group {group!r} in the community {community!r}")
        if address_of(self._agent) not in found.roles_of:
            raise not_a_member(address_of(self._agent), group)
        return found.players(role)
