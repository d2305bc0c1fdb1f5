"""What this machine can do for Formicary, and what is missing; nothing of the platform imports it."""

CPU_GROUP = "platform"
