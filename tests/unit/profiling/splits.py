"""What tests know of a split before it is measured: loops that keep the CPU busy, and how busy they were."""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter

T95 = {4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365}  # Student's t by the number of values


class Truth:
    """The seconds of CPU by group that were burnt on purpose.

    Args:
        scale: how much is burnt of what is asked for.
    """

    def __init__(self, scale=1.0):
        self.burnt = Counter()
        self.scale = scale

    def burn(self, group, seconds):
        began = time.thread_time()
        while time.thread_time() < began + seconds * self.scale:
            pass
        self.burnt[group] += time.thread_time() - began

    def shares(self):
        return shares(self.burnt)


def shares(seconds):
    total = sum(seconds.values())
    return Counter({name: value / total for name, value in seconds.items()})


def by_group(profile):
    seconds = Counter()
    for account in profile.processes[0].accounts:
        seconds[account.group] += account.cpu_s
    return seconds


def by_agent(profile):
    seconds = Counter()
    for account in profile.processes[0].accounts:
        seconds[account.agent] += account.cpu_s
    return seconds


def check_within(errors, points):
    """Make sure that the mean of several errors is not proven to be more than some points, at 95%."""
    mean = statistics.fmean(errors)
    half = T95[len(errors)] * statistics.stdev(errors) / math.sqrt(len(errors))
    assert abs(mean) - half <= points, f"{mean:+.3f} ± {half:.3f}"
    assert half <= 2 * points, f"the errors scatter too much to say anything: {errors}"
