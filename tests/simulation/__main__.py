"""Plays seeds in sequence, and shows how to replay one that fails.

python -m tests.simulation [--seed N] [--steps M] [--total T] [--moves] [--only 3,5,8] [--trace] [--planted]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.simulation.bugs import BUGS
from tests.simulation.schedule import Act, Shape, acts
from tests.simulation.shorten import shorten
from tests.simulation.simulate import STEPS, Played, simulate

_ENOUGH = 200  # seeds within which a mistake has to be found that was planted
_REPORT = 10.0  # s between two lines of progress


def main() -> int:
    """Run the command line; return 1 if a guarantee was broken."""
    options = _options()
    say(f"seed {options.seed}, {options.steps} steps with faults for each seed")
    if options.planted:
        return planted(options.seed, options.steps)
    if options.only is not None or options.trace or options.total is None:
        return replay(options)
    return search(options.seed, options.steps, options.total, moves_only=options.moves)


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 -- a command


def replay(options: argparse.Namespace) -> int:
    """Play one seed, and show what happened."""
    say(str(Shape.draw(options.seed)))
    tell = say if options.trace else None
    played = simulate(options.seed, steps=options.steps, only=options.only, tell=tell)
    show(played)
    return int(bool(played.broken))


def show(played: Played) -> None:
    """Show the result of a seed."""
    fates = ", ".join(f"{name} {count}" for name, count in sorted(played.counts.items()))
    say(f"seed {played.seed}: {played.steps} steps, {len(played.acts)} acts, {fates}, trace {played.trace}")
    for sentence in played.broken:
        say(f"  broken: {sentence}")


def search(seed: int, steps: int, total: int, *, moves_only: bool = False) -> int:
    """Play seeds until enough steps were played, or one fails, which is then shortened.

    Args:
        seed: the first.
        steps: as of `simulate`.
        total: the number of steps to play.
        moves_only: whether to leave out platforms on which no agent moves.
    """
    done, seeds, counts, start = 0, 0, Counter[str](), time.process_time()
    told = time.monotonic()
    try:
        while done < total:
            if moves_only and not Shape.draw(seed).moves:
                seed += 1
                continue
            played = simulate(seed, steps=steps)
            done, seeds, counts = done + played.steps, seeds + 1, counts + played.counts
            if played.broken:
                fail(played, steps)
                return 1
            seed += 1
            if time.monotonic() - told > _REPORT:
                told = time.monotonic()
                say(f"{seeds} seeds, {done} steps, next seed {seed}")
    except KeyboardInterrupt:
        say("interrupted")
    rate = done / max(time.process_time() - start, 1e-9)
    fates = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    say(f"{seeds} seeds, {done} steps, {rate:.0f} per second of CPU, nothing broken; messages: {fates}")
    return 0


def planted(seed: int, steps: int) -> int:
    """Plant mistakes one by one, and report after how many seeds each is found; return 1 if one is not."""
    missed = 0
    for bug in BUGS:
        for number in range(_ENOUGH):
            with bug():
                played = simulate(seed + number, steps=steps)
            if played.broken:
                say(f"{bug.__name__}: seed {played.seed}, {played.broken[0]}")
                break
        else:
            missed = 1
            say(f"{bug.__name__}: not found with {_ENOUGH} seeds")
    return missed


def fail(played: Played, steps: int) -> None:
    """Show a seed that fails, and its shortest schedule."""
    show(played)
    say("shortening ...")
    short = shorten(played.seed, steps=steps)
    show(short)
    chosen = set(short.acts)
    drawn: list[tuple[int, Act]] = [
        (number, act)
        for number, act in zip(range(max(chosen, default=-1) + 1), acts(played.seed), strict=False)
    ]
    for number, act in drawn:
        if number in chosen:
            say(f"  act {number}: {act}")
    again = f"python -m tests.simulation --seed {played.seed}"
    say(f"again: {again} --steps {steps} --trace")
    say(f"short: {again} --only {','.join(map(str, short.acts)) or 'none'} --trace")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seed", type=int, default=0, help="the first seed, or the one to play again")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps until everything is made whole")
    parser.add_argument("--total", type=int, help="play seed after seed until so many steps were played")
    parser.add_argument("--moves", action="store_true", help="with --total: only where agents move")
    parser.add_argument("--only", type=_numbers, help="the numbers of the acts to play, or none")
    parser.add_argument("--planted", action="store_true", help="see whether planted mistakes are found")
    parser.add_argument("--trace", action="store_true", help="show all that happens")
    return parser.parse_args()


def _numbers(text: str) -> tuple[int, ...]:
    return () if text == "none" else tuple(map(int, text.split(",")))


if __name__ == "__main__":
    sys.exit(main())
