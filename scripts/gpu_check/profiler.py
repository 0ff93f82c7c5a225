# SPDX-License-Identifier: Apache-2.0
"""The steps with Nsight Compute: times of all kernels, metrics of some, and where in the source one of them waits.

One call of a benchmark is profiled, outside the graph that is timed and after a first call, which was cold:
ISOPATCH_BENCH_PROFILE makes the benchmark say when.
"""

import shutil
from pathlib import Path

import readers
from check import tool

SCENE = "float/sphere512_on_box44/8192"
ROLLOUT, PINCH = "Rollout/float/drop/8192", "Rollout/float/pinch/8192"

STALLS = [
    f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio"
    for stall in "long_scoreboard short_scoreboard wait math_pipe_throttle mio_throttle lg_throttle no_instruction "
    "branch_resolving dispatch_stall not_selected barrier membar imc_miss".split()
]
PIPES = [f"sm__inst_executed_pipe_{pipe}.sum" for pipe in ("alu", "fma", "fp64", "lsu", "xu")]
OPERATIONS = [f"smsp__sass_thread_inst_executed_op_{t}{op}_pred_on.sum" for t in "fd" for op in ("add", "mul", "fma")]
ISSUE, WARPS, THREADS = (
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
)
TIME, REGISTERS = "gpu__time_duration.sum", "launch__registers_per_thread"
# A group of metrics is read in one run; the most important come first.
METRICS = [
    f"{TIME} sm__cycles_elapsed.max {REGISTERS} launch__waves_per_multiprocessor smsp__inst_executed.sum {ISSUE} "
    f"{WARPS} smsp__warps_eligible.avg.per_cycle_active {THREADS} "
    "smsp__sass_average_branch_targets_threads_uniform.pct".split(),
    STALLS,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared.sum "
    "l1tex__data_pipe_lsu_wavefronts.sum lts__t_bytes.sum dram__bytes_read.sum dram__bytes_write.sum "
    "l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct".split(),
    PIPES + OPERATIONS,
]
QUICK_METRICS = [[TIME, REGISTERS, "smsp__inst_executed.sum", ISSUE, WARPS, THREADS], STALLS]
# the figures that say the most: label, unit, metric, factor
FIGURES = [
    ("time", " ms", TIME, 1e-6),
    ("issue slots used", " %", ISSUE, 1),
    ("occupancy", " %", WARPS, 1),
    ("threads an instruction", "", THREADS, 1),
    ("registers", "", REGISTERS, 1),
]


def benchmark_of(profiled):
    """The benchmark of "float/sphere512_on_box44/8192", an evaluation, or of "Rollout/float/drop/8192"."""
    name = profiled.split(" ")[0]
    kind, rest = name.split("/", 1) if name.count("/") == 3 else ("Evaluate", name)
    return f"BM_{kind}/cuda/{rest}"


def kernel_sums(table, profiled):
    """The kernels of a call: launches, and nanoseconds of all."""
    sums = {}
    for name, kernel, _, nanoseconds in readers.read_metrics(table):
        if name == profiled:
            launches, total = sums.get(kernel, (0, 0))
            sums[kernel] = (launches + 1, total + nanoseconds)
    return sums


def digest(metrics):
    """A line of the figures that say the most."""
    parts = [f"{label} {metrics[m] * factor:.4g}{unit}" for label, unit, m, factor in FIGURES if m in metrics]
    stalls = sorted((m for m in STALLS if metrics.get(m)), key=lambda m: -metrics[m])[:2]
    names = [f"{m.split('stalled_')[1].split('_per_issue')[0]} {metrics[m]:.2f}" for m in stalls]
    return ", ".join(parts + [f"stalls: {', '.join(names)}"] * bool(names))


class Profiler:
    def __init__(self, check):
        self.check, self.ncu = check, tool("ncu")
        self.works, self.refuses = False, ""  # the latter: why it does

    def can_start(self):
        return self.check.is_there("profile", self.ncu, "bin/isopatch_bench")

    def profile_all(self):
        if not self.can_start():
            return
        self.time_kernels(5, SCENE, "float/sphere512_on_box44/1", ROLLOUT, PINCH)
        self.time_kernels(5, f"Kept/{SCENE}")
        # of an evaluation in stages, and of a step, where each launch has work
        for kernel in ("begin_environments", "search_pairs", "integrate_cells"):
            self.profile_kernels(13, METRICS, f"{SCENE} {kernel}")
        for kernel in ("make_listed_contacts", "begin_stages", "solve_stages", "end_stages"):
            self.profile_kernels(13, METRICS, f"{PINCH} {kernel}")
        self.profile_kernels(13, METRICS, "double/sphere512_on_box44/8192 integrate_cells")
        self.profile_by_line(19, SCENE, "search_pairs")

    def prove(self):
        if self.can_start():
            self.profile_kernels(7, QUICK_METRICS, f"{SCENE} search_pairs", f"{SCENE} integrate_cells")
            self.profile_kernels(7, QUICK_METRICS, f"{ROLLOUT} solve_stages")

    def run(self, seconds, log, profiled, *options):
        """Profiles a benchmark, all or one kernel of it."""
        benchmark, _, kernel = profiled.partition(" ")
        options = [*options, "--kernel-name-base", "function", "--profile-from-start", "off", "--clock-control", "none"]
        options += ["--kernel-name", f"regex:{kernel}", "--launch-count", "1"] if kernel else []
        chosen = [f"--benchmark_filter=^{benchmark_of(benchmark)}/manual_time$", "--benchmark_min_time=0.001"]
        environment = {"CUDA_MODULE_LOADING": "LAZY", "ISOPATCH_BENCH_PROFILE": "1"}
        return self.check.run(seconds, log, self.ncu, *options, "bin/isopatch_bench", *chosen, **environment)

    def measure(self, seconds, profiled, table, metrics):
        """Appends metrics to a table, and all else that is said to profile.log.

        Returns the run, and whether anything was measured.
        """
        (self.check.logs / "ncu_run").write_text("")
        options = ["--csv", "--page", "details", "--print-units", "base", "--cache-control", "none"]
        options += ["--apply-rules", "no", "--metrics", ",".join(metrics)]
        run = self.run(seconds, "ncu_run", profiled, *options)
        rows = [line for line in run.text.splitlines() if line.startswith('"')]
        with (self.check.logs / "profile.log").open("a") as log:
            others = [line for line in run.text.splitlines() if not line.startswith('"')]
            print(f"== {self.check.command}", *others, sep="\n", file=log)
        if "ERR_NVGPUCTRPERM" in run.text:
            self.refuses = "this user may not read the device's counters (ERR_NVGPUCTRPERM)"
        elif not self.works and not rows and not run.stopped:
            self.refuses = run.first("==ERROR==", run.line(-1))
        if len(rows) < 2:
            return run, False
        self.works = True
        # all in one table, with what was profiled as the first column
        is_new = not table.exists()
        with table.open("a") as file:
            for row in rows:
                is_header = row.startswith('"ID"')
                if is_new or not is_header:
                    print(f'"{"Benchmark" if is_header else profiled}",{row}', file=file)
        return run, True

    def measured_nothing(self, name, profiled, run):
        self.check.record(name, "skipped", f"{profiled}: {self.refuses or 'nothing was measured'}{run.ending}")

    def time_kernels(self, seconds, *names):
        """Each kernel of a warm call."""
        table = self.check.logs / "kernels.csv"
        for profiled in names:
            if self.refuses:
                break
            run, is_measured = self.measure(seconds, profiled, table, [TIME])
            if not is_measured:
                self.measured_nothing("kernel times", profiled, run)
                continue
            times = []
            for kernel, (launches, total) in kernel_sums(table, profiled).items():
                times.append(f"{kernel} {f'{launches} x ' if launches > 1 else ''}{total / launches / 1000:.4g} us")
                self.check.measured[f"{benchmark_of(profiled)} {kernel}"] = total * 1e-6
            self.check.record("kernel times", "passed", f"{profiled}: {', '.join(times)}")

    def profile_kernels(self, seconds_of_each, groups, *kernels):
        """Metrics of one launch of each kernel; of a group with a name that this device does not know, one by one."""
        table = self.check.out / "profile.csv"
        for profiled in kernels:
            if self.refuses:
                break
            self.check.grant(seconds_of_each)  # for all the runs below
            run, left_out = self.measure_groups(profiled, table, groups)
            metrics = readers.read_profile(table).get(profiled)
            if metrics is None:
                self.measured_nothing("profile", profiled, run)
                continue
            unknown = f"; {left_out} metrics are unknown here" if left_out else ""
            result = "unfinished" if run.stopped else "passed"
            self.check.record("profile", result, f"{profiled}: {digest(metrics)}{unknown}")

    def measure_groups(self, profiled, table, groups):
        """Returns the last run, and how many metrics are left out."""
        left_out = 0
        for group in groups:
            run, is_measured = self.measure(0, profiled, table, group)
            for metric in () if is_measured or run.stopped else group:
                run, is_measured = self.measure(0, profiled, table, [metric])
                left_out += not is_measured
                if run.stopped:
                    break
            if run.stopped:
                break
        return run, left_out

    def profile_by_line(self, seconds, scene, kernel):
        """Where in the source a kernel waits."""
        if self.refuses:
            return
        report = self.check.logs / f"{scene.replace('/', '_')}.ncu-rep"
        options = ["--import-source", "yes", "--source-folders", Path.cwd(), "--force-overwrite", "--export", report]
        for section in ("SourceCounters", "WarpStateStats", "SpeedOfLight", "MemoryWorkloadAnalysis"):
            options += ["--section", section]
        run = self.run(seconds, "source.log", f"{scene} {kernel}", *options)
        if not report.exists():
            return self.check.record("profile by line", "skipped", f"{scene}: {run.first('==ERROR==')}{run.ending}")
        counts = []
        for view in ("cuda", "sass"):
            show = [self.ncu, "--import", report, "--page", "source", "--csv", "--print-source", view]
            log = f"source_{view}.csv"
            counts.append(len(self.check.run(0, log, *show).text.splitlines()))
        shutil.copy(self.check.logs / log, self.check.out)  # the instructions
        self.check.record("profile by line", "passed", f"{scene}: {counts[0]} lines, {counts[1]} instructions")
