"""The containers and agents of a platform, and what can be done with them (FIPA00023's AMS).

- `descriptions`: what is known of agents, containers and links
- `membership`: which containers there are
- `requests`: what can be asked of a container, and who does it
- `management`: what users see, `container.management`
- `services`: what each container has beside its agents: management, a part of the directory, groups
- `guest`: the same for a guest of the platform
"""

CPU_GROUP = "platform"
