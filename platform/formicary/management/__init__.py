"""Who is there: the containers of a platform (FIPA00023's agent management system)."""

CPU_GROUP = "platform"
