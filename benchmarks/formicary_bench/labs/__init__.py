"""Labs: exercises for students, an honest checker of their programs, and measurements that they guess first.

- `material`: which labs there are, where their texts lie, and a student's folder of one; `notebooks`: a
  notebook of one
- `scenarios`: what a lab's `check.py` is written with: a scenario, its stage, and what must hold
- `checking`: starts a student's program, plays the scenarios, and ends what is left; `confinement` keeps the
  program and the judge apart
- the judge's process: `playing` plays scenarios in virtual time; its network is the `switch`, and the program
  is its `examinee`
- the program's process: `process` loads it, and `performing` has its agents do what the judge wants
- `exchange`: what these two say to each other; `ports` join the containers of both
- `programs`: a student's program, loaded, or one sentence about why not, with the line
- `recording`: the messages of a scenario, sent until arrived, drawn as text
- `measuring`: guess, then measure; `charts` are the pictures of that

A lab is a folder of `docs/labs`, with `index.md`, `teacher.md`, `start.py`, `solution.py`, `check.py`, and
`measure.py` where something is measured.
"""

from formicary_bench.labs.scenarios import Offer, Scenario, Stage, scenario

CPU_GROUP = "runtime"

__all__ = ["Offer", "Scenario", "Stage", "scenario"]
