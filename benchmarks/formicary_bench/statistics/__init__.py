"""What the raw values say: means with intervals, percentiles, comparisons, and how far to believe them.

Everything here takes numbers and gives numbers; it knows nothing of runs, subjects or reports.
"""

CPU_GROUP = "runtime"
