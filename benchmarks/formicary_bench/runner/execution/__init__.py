"""How a run measures.

- `run`: a whole run; `resume`: what it takes to go on with one; `display`: what a user sees of it.
- `resources`: what a run has beside its workers: an XMPP server here, `run_hosts` (the hosts that
  take part), `host_servers` (their XMPP servers), `own_network` (a network of its own).
- `measures`: how a repetition of each experiment is measured; `repetition`: one measurement, in fresh
  processes; `phases`: what follows what in it, without any I/O.
- `worker_hosts`: where workers run, and what they hand over; `driver_trial`: whether a driver that is to be
  installed works.
"""
