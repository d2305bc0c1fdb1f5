"""Labs: exercises for students, an honest checker of their programs, and measurements that they guess first.

- `material`: which labs there are, and where their texts lie; `folders` makes a student's folder of one, and
  `notebooks` a notebook
- `scenarios`: what a lab's `check.py` is written with: a scenario, its stage, and what must hold
- `checking`: starts a student's program, plays the scenarios, and ends what is left; `confinement` keeps the
  program and the judge apart
- the judge's process: `playing` plays scenarios in virtual time; its network is the `switch`, and the program
  is its `examinee`
- the program's process: `process` loads it, and `performing` has its agents do what the judge wants
- `exchange`: what these two say to each other; `ports` join the containers of both
- `programs`: a student's program, loaded, or one sentence about why not; `mistakes` finds the line
- `recording`: the messages of a scenario, sent until arrived; `pictures` draws them as text
- `measuring`: guess, then measure; `results` are its files, and `charts` their pictures

A lab is a folder of `docs/labs`, with `index.md`, `teacher.md`, `start.py`, `solution.py`, `check.py`, and
`measure.py` where something is measured.
"""

from formicary_bench.labs.scenarios import Offer, Scenario, Stage, scenario

CPU_GROUP = "runtime"

__all__ = ["Offer", "Scenario", "Stage", "scenario"]
