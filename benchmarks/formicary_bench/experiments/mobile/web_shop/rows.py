"""How rows are made of visits: a visit is a round trip of a client and its agent."""

from __future__ import annotations

from formicary_bench.results.summary.round_trips import Exchanges

SUMMARY = Exchanges()
