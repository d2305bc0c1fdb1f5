"""The content language of FIPA00023's agents, and how containers write control messages."""

CPU_GROUP = "platform"
