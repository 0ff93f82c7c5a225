#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns what device_ceilings measured on a GPU into values for bench/cycle_model/predict.py --timing.

Usage: bench/calibrate.py CEILINGS.json [--output TIMING.json]

Only what was measured is in the result (bench/cycle_model/timing.h says what else is assumed): how long units are
busy with an instruction, how the first-level cache is banked, caches of instructions, the bandwidth of the device's
memory, and the time from a kernel of a graph to the next. Clock and processors are printed as options of predict.py.
Exits with status 2 where the file cannot be read or has nothing of it.
"""

import argparse
import json
import math
import re
import statistics
import sys
from pathlib import Path

THREADS = 128  # that the four schedulers of a processor issue to in a cycle
LINE_INSTRUCTIONS = 8  # of 16 bytes, in a cache line

# the measured rate, and the instructions that the same unit executes
RATES = {
    "ffma": (["ffma_per_cycle"], ["FFMA", "FADD", "FMUL"]),
    "fmnmx": (["fmnmx_per_cycle"], ["FMNMX"]),
    "fsel": (["fsel_per_cycle"], ["FSEL"]),
    "f2f": (["f2f_to_float_per_cycle", "f2f_to_double_per_cycle"], ["F2F"]),
    "dfma": (["dfma_per_cycle"], ["DFMA", "DADD", "DMUL", "DSETP"]),
}

# as in the kernel gather() of bench/device_ceilings.cu
NODES = 1024
GATHERED = 16  # loads of each thread that are looked at, of 512
BANKS = (8, 16, 32, 64)
LINES_A_CYCLE = (1, 2, 4, 8)
ALIKE = 1.02  # values that explain the measured ones as well as this; of them, 32 banks and the fewest lines are taken
LARGER = 1.25  # than the largest code that fits, as code of that size has lines beside it
SLOWER = 0.2  # cycles an instruction, more than from one run to the next


def instructions(ceilings):
    """Cycles that a scheduler's unit, whose width is a power of two, is busy with a warp's instruction."""
    found = {}
    for names, same_unit in RATES.values():
        rates = [ceilings[name] for name in names if ceilings.get(name, 0) > 0]
        if rates:
            interval = 2 ** max(0, round(math.log2(THREADS / statistics.mean(rates))))
            found |= {instruction: {"interval": interval} for instruction in same_unit}
    return found


def gathered_nodes(threads=1024):
    """The nodes that each group of 8 threads, a quarter of a warp, loads at once."""
    groups = []
    for first in range(0, threads, 8):
        lanes = range(first, first + 8)
        nodes = [(t * 2654435761 % 2**32) >> 22 for t in lanes]
        steps = [(t * 40503 & (NODES - 1)) | 1 for t in lanes]
        for load in range(GATHERED):
            groups.append({(n + load * s) & (NODES - 1) for n, s in zip(nodes, steps)})
    return groups


def gather_cycles(groups, stride, banks, lines_a_cycle):
    """Of a load of 16 bytes by a warp, as bench/cycle_model/processor.cpp has it."""
    cycles = 0
    for nodes in groups:
        wanted = [0] * banks
        for word in {stride * node // 4 + k for node in nodes for k in range(4)}:
            wanted[word % banks] += 1
        lines = len({stride * node // 128 for node in nodes})
        cycles += max(max(wanted), -(-lines // lines_a_cycle))
    return 4 * cycles / len(groups)


def first_level_cache(ceilings):
    """The banks, and the lines looked up in a cycle, that explain the measured gathers best."""
    strides = (16, 64, 80)
    measured = {stride: ceilings.get(f"ldg_128_stride_{stride}_cycles", 0) for stride in strides}
    if not all(measured.values()):
        return {}
    groups = gathered_nodes()[::7]
    errors = {}
    for banks in BANKS:
        for lines in LINES_A_CYCLE:
            ratios = [gather_cycles(groups, stride, banks, lines) / cycles for stride, cycles in measured.items()]
            errors[banks, lines] = max(max(ratio, 1 / ratio) for ratio in ratios)
    best = min(errors.values())
    alike = [key for key, error in errors.items() if error <= ALIKE * best]
    banks, lines = min(alike, key=lambda key: (key[0] != 32, key))
    return {"banks": banks, "lines_a_cycle": lines}


def instruction_caches(ceilings):
    """Sizes from where straight code becomes slower, and what a line costs behind them: of one warp a scheduler."""
    pattern = r"cycles_an_instruction_(\d+)_kib_4_warps"
    cycles = {int(m[1]): value for name, value in ceilings.items() if (m := re.fullmatch(pattern, name))}
    if len(cycles) < 2:
        return {}
    sizes = sorted(cycles)

    def last_alike(first):
        """The last size from `first` on before the code becomes slower."""
        alike = first
        while alike + 1 < len(sizes) and cycles[sizes[alike + 1]] < cycles[sizes[first]] + SLOWER:
            alike += 1
        return alike

    def line_cycles(at):
        """From one line to the next, which is fetched meanwhile."""
        return max(1, round(LINE_INSTRUCTIONS * cycles[sizes[at]]))

    def size(at):
        return round(LARGER * (sizes[at] << 10))

    buffer = last_alike(0)
    found = {"fetch_buffer": size(buffer)}
    if buffer + 1 == len(sizes):
        return found
    cache = last_alike(buffer + 1)
    found |= {"fetch_next": line_cycles(buffer + 1), "instruction_cache": size(cache)}
    if cache + 1 < len(sizes):
        found["fetch_second_level"] = line_cycles(cache + 1)
    return found


def timing(ceilings):
    found = {}
    if "graph_of_1_us" in ceilings and "graph_of_4_us" in ceilings:
        found["launch"] = round((ceilings["graph_of_4_us"] - ceilings["graph_of_1_us"]) / 3, 3)
        found["first_launch"] = round(ceilings["graph_of_1_us"] - found["launch"], 3)
    if "copy_bytes_per_s" in ceilings and "clock_mhz" in ceilings:
        found["memory_rate"] = round(1e-6 * ceilings["copy_bytes_per_s"] / ceilings["clock_mhz"])
    found |= instruction_caches(ceilings) | first_level_cache(ceilings)
    if intervals := instructions(ceilings):
        found["instructions"] = intervals
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ceilings", type=Path, help="what device_ceilings printed")
    parser.add_argument("--output", type=Path, help="a file for the values; by default they are printed")
    args = parser.parse_args()
    try:
        ceilings = json.loads(args.ceilings.read_text())
    except (OSError, ValueError) as error:
        print(f"calibrate: {args.ceilings} cannot be read: {error}", file=sys.stderr)
        return 2
    found = timing(ceilings)
    if not found:
        print(f"calibrate: {args.ceilings} has nothing that device_ceilings measures", file=sys.stderr)
        return 2
    text = json.dumps(found, indent=1)
    if args.output:
        args.output.write_text(text + "\n")
    else:
        print(text)
    clock, processors = ceilings.get("clock_mhz"), ceilings.get("processors")
    if clock and processors:
        print(f"for predict.py: --clock {clock / 1000:.3g} --processors {processors:g}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
