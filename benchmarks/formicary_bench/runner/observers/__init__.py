"""What looks at a repetition from outside while it runs: samplers, hosts, validity."""
