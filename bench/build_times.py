# SPDX-License-Identifier: Apache-2.0
"""Processor times of two builds that take turns, and of the first build against itself, which is the noise."""

import json
import re
import statistics
import subprocess
import sys

from count_instructions import ROOT
from processor_time import PairTimer, TimerError, calls_that_take

# Who measures when, of the builds A and B and of A once more: each is first, second and last equally often, and behind
# each other one equally often. After these blocks processes are started anew, since where their memory lies matters.
TURNS = ("ABN", "NBA", "BNA", "ANB", "NAB", "BAN")


class Evaluations:
    """A row of evaluations: microseconds of an environment, by pair_time."""

    program = "pair_time"

    def __init__(self, name, scene, environments, options):
        self.name, self.scene, self.environments = name, scene, environments
        self.options = ["--envs", environments, *options]
        self.calls = None

    def start(self, build, seconds):
        timer = PairTimer(build / "bin" / self.program, self.scene, *self.options)
        if self.calls is None:  # the same number for all
            self.calls = calls_that_take(seconds, timer.block)
        else:
            timer.block(max(1, self.calls // 10))  # warm
        return timer

    def microseconds(self, timer):
        return 1e6 * timer.block(self.calls) / (self.calls * self.environments)


class BenchmarkRun:
    """What isopatch_bench is started with; it has nothing to wait with."""

    def __init__(self, program, seconds):
        self.program, self.seconds = program, seconds

    def close(self):
        pass


class Rollouts:
    """A row of time steps: microseconds of a step of an environment, by isopatch_bench."""

    program = "isopatch_bench"

    def __init__(self, name, benchmark):
        self.name, self.benchmark = name, benchmark

    def start(self, build, seconds):
        # at least 0.1 s: it has a start of its own in every block
        return BenchmarkRun(build / "bin" / self.program, max(seconds, 0.1))

    def microseconds(self, run):
        options = [f"--benchmark_filter=^{self.benchmark}(/|$)", f"--benchmark_min_time={run.seconds}"]
        command = [str(run.program), *options, "--benchmark_format=json"]
        done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
        if done.returncode != 0 or not done.stdout:
            raise TimerError(f"'{' '.join(command)}' ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        found = json.loads(done.stdout)["benchmarks"][0]
        if "error_message" in found:
            raise TimerError(f"{self.benchmark}: {found['error_message']}")
        unit = {"ns": 1e-3, "us": 1, "ms": 1e3}[found["time_unit"]]
        steps = found["steps/s"] * 1e-6 * unit * found["real_time"]  # of all environments in a call
        return unit * found["cpu_time"] / steps


# --- rows ------------------------------------------------------------------------------------------------------------


def drake_scenes(folder, build, wanted):
    """Name and file of each contact of the table with Drake, moving and at rest, of which a row is wanted."""
    sys.path.append(str(ROOT / "bench/drake"))
    from drake_contacts import Programs, Shapes, scene_json, timed_contacts

    names = {
        f"{contact.name}/{'moving' if moving else 'at rest'}": (contact, moving)
        for contact in timed_contacts()
        for moving in (True, False)
    }
    names = {name: what for name, what in names.items() if wanted(name)}
    if not names:
        return
    shapes = Shapes(folder, None, Programs(build))
    for number, (name, (contact, moving)) in enumerate(names.items()):
        path = folder / f"timed{number}.json"
        path.write_text(json.dumps(scene_json(shapes, contact, moving)))
        yield name, path


def make_rows(builds, folder, precision, vectors, filter):
    """The rows whose name the filter is found in, and lines that say what is missing."""
    notes, scenes = [], []

    def names(scene):
        suffix = "" if vectors == ["best"] else "/{}"
        return [(f"{scene}/{n}" + suffix.format(v), n, v) for v in vectors for n in (1, 16)]

    def wanted(scene):
        return any(re.search(filter, name) for name, _, _ in names(scene))

    try:
        scenes += drake_scenes(folder, builds[0], wanted)
    except ImportError as error:
        notes.append(f"without the contacts of the table with Drake, which need NumPy: {error}")
    scenes += [(scene, ROOT / f"bench/scenes/{scene}.json") for scene in ("box_stack", "gripper")]
    rows = [
        Evaluations(name, path, environments, ["--precision", precision, "--vectors", width])
        for scene, path in scenes
        for name, environments, width in names(scene)
    ]
    rows += [Rollouts(f"rollout {scene}/16", f"BM_Rollout/cpu/{precision}/{scene}/16") for scene in ("drop", "pinch")]
    rows = [row for row in rows if re.search(filter, row.name)]
    for program in ("pair_time", "isopatch_bench"):
        missing = [str(build) for build in builds if not (build / "bin" / program).exists()]
        if missing and any(row.program == program for row in rows):
            notes.append(f"without the rows of {program}, which is not in {' and '.join(missing)}")
            rows = [row for row in rows if row.program != program]
    return rows, notes


# --- times -----------------------------------------------------------------------------------------------------------


class RowTimes:
    """Microseconds of a row in every block, for A, for B and for A once more (N)."""

    def __init__(self, row):
        self.row, self.blocks, self.again = row, [], []

    def measure(self, builds, blocks, seconds, swapped=False):
        """Adds blocks; of a row that is measured again, with everything in the opposite order."""
        sides = dict(A=builds[0], B=builds[1], N=builds[0])
        timers = {}
        try:
            for side in "NBA" if swapped else "ABN":
                timers[side] = self.row.start(sides[side], seconds)
            for turn in TURNS[:blocks]:
                order = turn[::-1] if swapped else turn
                times = {side: self.row.microseconds(timers[side]) for side in order}
                (self.again if swapped else self.blocks).append(times)
        finally:
            for timer in timers.values():
                timer.close()

    def median(self, side):
        return statistics.median(times[side] for times in self.blocks + self.again)

    def ratios(self, side="B", blocks=None):
        return [times[side] / times["A"] for times in blocks or self.blocks + self.again]

    def ratio(self, side="B"):
        return statistics.median(self.ratios(side))

    def is_above(self, limit):
        """Whether B is slower by more than the limit, in the first run and, if there is one, in the second."""
        runs = [blocks for blocks in (self.blocks, self.again) if blocks]
        return bool(runs) and all(statistics.median(self.ratios("B", blocks)) > limit for blocks in runs)


def measure(rows, builds, blocks, seconds, max_row, progress):
    """Measures all rows in rounds, so that a run that is stopped has something of each."""
    left = blocks
    while left > 0:
        for number, times in enumerate(rows):
            progress(f"{number + 1} of {len(rows)} rows, {left} blocks to go: {times.row.name}")
            times.measure(builds, min(left, len(TURNS)), seconds)
        left -= len(TURNS)
    for times in rows:
        if max_row is None or not times.is_above(max_row):
            continue
        for start in range(0, blocks, len(TURNS)):
            progress(f"again, with the order swapped: {times.row.name}")
            times.measure(builds, min(blocks - start, len(TURNS)), seconds, swapped=True)


def means(rows):
    """Geometric means of the rows' ratios B/A, and of A against itself."""
    return [statistics.geometric_mean(times.ratio(side) for times in rows) for side in "BN"]


def times_table(rows):
    """Lines of a table of the rows that have a block."""
    lines = [f"{'row':<42} {'blocks':>6} {'A us':>9} {'B us':>9}  {'B/A':<22} {'A/A, the noise':<22}"]
    for times in rows:
        ratios = [
            f"{times.ratio(side):.3f} ({min(times.ratios(side)):.3f} to {max(times.ratios(side)):.3f})" for side in "BN"
        ]
        blocks = len(times.blocks + times.again)
        lines.append(
            f"{times.row.name:<42} {blocks:>6} {times.median('A'):>9.3f} {times.median('B'):>9.3f}  "
            f"{ratios[0]:<22} {ratios[1]:<22}".rstrip()
        )
    b, noise = means(rows)
    lines.append(f"geometric mean of {len(rows)} rows: B/A {b:.4f}, A/A {noise:.4f}")
    return lines
