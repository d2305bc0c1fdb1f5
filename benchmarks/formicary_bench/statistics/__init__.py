"""What the raw values say: means with intervals, percentiles, ratios.

Everything here takes numbers and gives numbers; it knows nothing of runs, platforms or reports.
"""
