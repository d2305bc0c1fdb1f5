"""Statistics of raw values: means with intervals, percentiles, comparisons, and reliability.

Everything here takes numbers and gives numbers; it knows nothing of runs, subjects or reports.
"""

CPU_GROUP = "runtime"
