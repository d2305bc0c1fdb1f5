"""Agents that move between the containers of a platform (FIPA00087), and what is carried.

- `itinerary`: agents that visit containers one after the other
- `service`: what moves agents from a container and to it
"""

CPU_GROUP = "platform"
