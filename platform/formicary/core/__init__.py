"""What runs without any container: names, messages, templates, behaviours, agents, and who drives them."""

CPU_GROUP = "platform"
