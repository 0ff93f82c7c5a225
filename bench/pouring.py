#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pours polygons and polyhedra into a box, as in section 6 of "A geometrically exact contact model for polytopes in
multirigid-body simulation": ten sets of bodies, 16 time steps of 2.5 to 40 ms, 5 s each, without friction; by
unilateral constraints, by what separates now, and by exact relations with 1, 3 and 8 geometry iterations.

Needs the Python package isopatch. Prints a table: of each time step the median overlap after a step, the share of runs
that are stuck before the end, and the share of steps with traps: relations that hold although one of their contacts
does not. All of it takes a quarter of an hour on one core; --sets and --steps choose less.

pour_overlap.png  median and quartiles of the overlap over the time step (figures 21 and 24)
pour_traps.png    contacts and traps of one run over the time (figures 22 and 25)
pour_film_2D.png, pour_film_3D.png  the same bodies by unilateral and by exact relations (figures 20 and 23)

Exits with status 1 where, by exact relations with 8 iterations, a run is stuck, a median overlap is not 0 or traps are
in less than 15 or more than 70 % of the steps of all runs; or where unilateral runs are not stuck more often with
longer time steps, and in one half of the runs or more from 10 ms on.

--solver global takes each step by the global minimum of the reference, which branches, of at most 12 bodies (--bodies),
and mlcp by the paper's linear complementarity, whose cross relations bear no impulse: without and with one. Both need
build/release/bin/reference_pour and take one geometry iteration by euler. Their pictures are pour_global_... and
pour_mlcp_..., and the exit status is 0.
"""

import argparse
import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "pictures"))
import plotting  # noqa: E402

plotting.import_or_install(scipy="scipy")

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

matplotlib.use("Agg")
from polytope_steps import pour_pictures  # noqa: E402
from polytope_steps.pours import KINDS, Pour, reference_run, run  # noqa: E402

SHORTEST = 0.0025  # s
VARIANTS = {
    "unilateral": ("unilateral", 1),
    "separating": ("separating", 8),
    "exact, 1 iteration": ("exact", 1),
    "exact, 3 iterations": ("exact", 3),
    "exact, 8 iterations": ("exact", 8),
}
BEST = "exact, 8 iterations"
REFERENCE_VARIANTS = {  # relations, and how the program reference_pour calls the solver
    "global": {name: (name, "global") for name in ("unilateral", "separating", "exact")},
    "mlcp": {
        "unilateral": ("unilateral", "mlcp"),
        "separating": ("separating", "mlcp"),
        "exact": ("exact", "mlcp"),
        "exact, cross impulses": ("exact", "mlcp with cross impulses"),
    },
}
MOST_BODIES = 12  # of branching
NOTHING = 1e-12  # m^2 or m^3: rounding
FILM = 0.01  # s
TIMES = (1, 2, 3, 4, 5)  # s, of pictures


def runs_of(kind, arguments, pool):
    """Of each variant and time step, a run of each set."""
    steps = [SHORTEST * k for k in arguments.steps]
    variants = REFERENCE_VARIANTS.get(arguments.solver, VARIANTS)
    pours = {
        (mode, seed): Pour(kind, seed, mode)
        for mode, seed in itertools.product(dict(variants.values()), range(1, arguments.sets + 1))
    }

    def start(mode, how, step, seed):
        pour, options = pours[mode, seed], {"duration": arguments.duration, "times": TIMES if seed == 1 else ()}
        if arguments.solver == "descent":
            return pool.submit(run, pour, step, how, integrator=arguments.integrator, **options)
        return pool.submit(reference_run, arguments.reference, pour, step, how, **options)

    jobs = {
        name: [[start(mode, how, step, seed) for seed in range(1, arguments.sets + 1)] for step in steps]
        for name, (mode, how) in variants.items()
    }
    return {name: [[job.result() for job in sets] for sets in by_step] for name, by_step in jobs.items()}


def stuck(runs, duration):
    """The share of runs that end early."""
    return np.mean([run.end < duration for run in runs])


def with_traps(runs):
    """The share of steps that have some."""
    return np.mean(np.concatenate([run.traps for run in runs]) > 0)


def median(runs):
    return np.median(np.concatenate([run.overlap for run in runs]))


def print_table(kind, variants, steps, duration):
    print(f"{kind.name}: {kind.bodies} bodies, median overlap after a step [{kind.unit}], runs stuck, steps with traps")
    print(f"{'step ms':>8}" + "".join(f"{name:>24}" for name in variants))
    for i, step in enumerate(steps):
        line = f"{1e3 * step:8g}"
        for by_step in variants.values():
            runs = by_step[i]
            line += f"{median(runs):10.1e}{100 * stuck(runs, duration):6.0f} %{100 * with_traps(runs):4.0f} %"
        print(line)
    means = [np.mean(np.concatenate([run.overlap for runs in v for run in runs])) for v in variants.values()]
    print(f"{'mean':>8}" + "".join(f"{mean:10.1e}{'':14}" for mean in means))
    print()


def missed_bars(kind, variants, steps, duration):
    """What is not as it should be, a line each."""
    missed = []
    for step, runs in zip(steps, variants[BEST]):
        if stuck(runs, duration) > 0:
            missed.append(f"{kind.name}, {1e3 * step:g} ms: a run by exact relations is stuck")
        if median(runs) > NOTHING:
            missed.append(f"{kind.name}, {1e3 * step:g} ms: median overlap {median(runs):.1e} {kind.unit}")
    traps = with_traps([run for runs in variants[BEST] for run in runs])
    if not 0.15 <= traps <= 0.7:
        missed.append(f"{kind.name}: traps in {100 * traps:.0f} % of the steps")
    shares = np.array([stuck(runs, duration) for runs in variants["unilateral"]])
    for step, share in zip(steps, shares):
        if step >= 0.01 and share < 0.5:
            missed.append(f"{kind.name}, {1e3 * step:g} ms: {100 * share:.0f} % of unilateral runs are stuck")
    half = len(shares) // 2
    if half > 0 and shares[:half].mean() > shares[half:].mean():
        missed.append(f"{kind.name}: unilateral runs are stuck more often with short time steps")
    return missed


def draw(results, steps, arguments):
    folder = arguments.output
    folder.mkdir(parents=True, exist_ok=True)
    stem = "pour" if arguments.solver == "descent" else f"pour_{arguments.solver}"
    plotting.save(pour_pictures.overlap_figure(results, steps), folder / f"{stem}_overlap.png")
    at = int(np.argmin(abs(steps - FILM)))
    one_run = {kind: list(variants.values())[-1][at][0] for kind, variants in results.items()}
    plotting.save(pour_pictures.traps_figure(one_run, steps[at]), folder / f"{stem}_traps.png")
    times = [time for time in TIMES if time <= arguments.duration]
    for kind, variants in results.items():
        runs = {name: variants[name][at][0] for name in ("unilateral", list(variants)[-1])}
        strip = pour_pictures.film_strip(kind, Pour(kind, 1, "exact"), runs, times)
        plotting.save(strip, folder / f"{stem}_film_{kind.name}.png")


def check(arguments, kinds):
    """Refuses what the reference cannot do."""
    most = max(kind.bodies for kind in kinds)
    reason = None
    if arguments.bodies is not None and arguments.bodies < 1:
        reason = f"--bodies {arguments.bodies}: a set has one body at least"
    elif arguments.solver == "global" and most > MOST_BODIES:
        reason = (
            f"--solver global branches over at most {MOST_BODIES} bodies, not {most}: choose --bodies {MOST_BODIES}"
        )
    elif arguments.solver != "descent" and arguments.integrator != "euler":
        reason = f"--solver {arguments.solver} takes steps by euler alone"
    elif arguments.solver != "descent" and not arguments.reference.exists():
        reason = f"--solver {arguments.solver} needs {arguments.reference}: build the target reference_pour"
    if reason is not None:
        print(f"pouring: {reason}", file=sys.stderr)
        sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument(
        "--solver", choices=("descent", *REFERENCE_VARIANTS), default="descent", help="(default descent)"
    )
    parser.add_argument("--bodies", type=int, default=None, help="of a set (default 20 polygons, 10 polyhedra)")
    parser.add_argument("--sets", type=int, default=10, help="of bodies, at least one (default 10)")
    parser.add_argument(
        "--steps", type=int, nargs="+", default=range(1, 17), help="time steps, in units of 2.5 ms (default: 1 to 16)"
    )
    parser.add_argument("--duration", type=float, default=5.0, help="s (default 5)")
    parser.add_argument("--integrator", choices=("euler", "midpoint"), default="euler", help="(default euler)")
    parser.add_argument("--threads", type=int, default=None, help="(default: all cores)")
    parser.add_argument("--output", type=Path, default=plotting.ROOT / "bench/results/pictures", help="a folder")
    parser.add_argument(
        "--reference", type=Path, default=plotting.ROOT / "build/release/bin/reference_pour", help="the program"
    )
    arguments = parser.parse_args()
    kinds = [KINDS[name] for name in arguments.kinds]
    if arguments.bodies is not None:
        kinds = [kind._replace(bodies=arguments.bodies) for kind in kinds]
    check(arguments, kinds)
    arguments.steps = sorted(arguments.steps)
    steps = SHORTEST * np.array(arguments.steps)
    results, missed = {}, []
    with ThreadPoolExecutor(arguments.threads) as pool:
        for kind in kinds:
            results[kind] = runs_of(kind, arguments, pool)
            print_table(kind, results[kind], steps, arguments.duration)
            if arguments.solver == "descent":
                missed += missed_bars(kind, results[kind], steps, arguments.duration)
    draw(results, steps, arguments)
    for line in missed:
        print(line)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
