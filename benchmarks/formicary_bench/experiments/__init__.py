"""The experiments: what each one measures, and what it varies.

`catalogue` lists them with the values that they take by default; `quick` is a small selection of them all.
"""
