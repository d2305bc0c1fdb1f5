"""Performing a run.

- `run`: a whole run; `resume`: resuming one; `display`: what a user sees of it.
- `resources`: everything but workers: an XMPP server here, `run_hosts` (the hosts that take part),
  `host_servers` (their XMPP servers), `own_network` (a network of its own).
- `measures`: chooses how a repetition is measured; `repetition`: one measurement, in fresh processes;
  `phases`: its phases, without I/O.
- `worker_hosts`: where workers run, and what they hand over; `driver_trial`: tries a driver before it is
  installed.
"""
