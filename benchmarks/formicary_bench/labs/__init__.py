"""Labs: exercises for students, an honest checker of their programs, and measurements that they guess first.

- `material`: the labs, their texts, and a student's folder of one, perhaps with a notebook
- `scenarios`: the vocabulary of a lab's `check.py`: scenarios, stages, and what must hold
- `checking`: starts a student's program, and plays scenarios; `confinement` isolates the program
- the judge's process: `playing` plays scenarios in virtual time; its network is the `switch`, and the program
  is its `examinee`
- the program's process: `process` loads the program, and `performing` plays its side
- `exchange`: the messages between the two; `ports` connect the containers of both
- `programs`: a student's program, loaded, or why not, with the line
- `recording`: the messages of a scenario, as text and pictures
- `measuring`: guess, then measure; `charts` are pictures of that

A lab is a folder of `docs/labs`, with `index.md`, `teacher.md`, `start.py`, `solution.py`, `check.py`, and
`measure.py` where something is measured.
"""

from formicary_bench.labs.scenarios import Offer, Scenario, Stage, scenario

CPU_GROUP = "runtime"

__all__ = ["Offer", "Scenario", "Stage", "scenario"]
