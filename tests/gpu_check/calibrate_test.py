#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/calibrate.py finds the values that made-up ceilings were computed from, and names that the model knows."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMING = (ROOT / "bench/cycle_model/timing.cpp").read_text()


def calibrated(ceilings, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ceilings.json"
        path.write_text(ceilings if isinstance(ceilings, str) else json.dumps(ceilings))
        command = [sys.executable, str(ROOT / "bench/calibrate.py"), str(path), *options]
        return subprocess.run(command, capture_output=True, text=True)


def gather_cycles(stride, banks, lines_a_cycle):
    """Of the gathers of device_ceilings.cu: a quarter of a warp at a time, as often as a bank or the lines ask for."""
    total = quarters = 0
    for warp in range(0, 1024, 32):
        at = [((t * 2654435761) & 0xFFFFFFFF) >> 22 for t in range(warp, warp + 32)]
        step = [((t * 40503) & 1023) | 1 for t in range(warp, warp + 32)]
        for _ in range(8):
            for quarter in range(4):
                addresses = {stride * node for node in at[8 * quarter : 8 * quarter + 8]}
                wanted = [0] * banks
                for address in addresses:
                    for word in range(4):
                        wanted[(address // 4 + word) % banks] += 1
                lines = len({address // 128 for address in addresses})
                total += max(max(wanted), (lines + lines_a_cycle - 1) // lines_a_cycle)
                quarters += 1
            at = [(node + s) & 1023 for node, s in zip(at, step)]
    return 4 * total / quarters


def ceilings_of(intervals, banks, lines_a_cycle, launch, buffer, cache, fetch_next, second_level):
    """What device_ceilings would measure where these are the values; sizes in KiB."""
    found = {"device": "Made up", "processors": 100, "clock_mhz": 1500}
    for name, interval in intervals.items():
        found[f"{name}_per_cycle"] = 0.97 * 128 / interval  # never quite
    for stride in (16, 64, 80):
        found[f"ldg_128_stride_{stride}_cycles"] = 1.03 * gather_cycles(stride, banks, lines_a_cycle)
    for size in (8, 16, 32, 64, 128, 256):
        line = 8 if size <= buffer else fetch_next if size <= cache else second_level
        found[f"cycles_an_instruction_{size}_kib_4_warps"] = max(1.02, line / 8)
        found[f"cycles_an_instruction_{size}_kib_8_warps"] = max(1, line / 16)
    for kernels in (1, 2, 4):
        found[f"graph_of_{kernels}_us"] = 2.5 + launch * (kernels - 1)
    return found


class Calibrate(unittest.TestCase):
    def check(self, intervals, banks, lines_a_cycle, launch, buffer, cache, fetch_next, second_level):
        ceilings = ceilings_of(intervals, banks, lines_a_cycle, launch, buffer, cache, fetch_next, second_level)
        done = calibrated(ceilings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--clock 1.5 --processors 100", done.stderr)
        found = json.loads(done.stdout)
        of_instructions = found.pop("instructions")
        self.assertEqual(
            found,
            {
                "launch": launch,
                "first_launch": 2.5 - launch,
                "banks": banks,
                "lines_a_cycle": lines_a_cycle,
                "fetch_buffer": buffer * 1280,
                "instruction_cache": cache * 1280,
                "fetch_next": fetch_next,
                "fetch_second_level": second_level,
            },
        )
        for name, same_unit in (("ffma", "FADD"), ("dfma", "DSETP"), ("fsel", "FSEL"), ("f2f_to_float", "F2F")):
            self.assertEqual(of_instructions[same_unit], {"interval": intervals[name]}, same_unit)
        return found, of_instructions

    def test_finds_the_values_of_a_large_card(self):
        intervals = {"ffma": 1, "fmnmx": 2, "fsel": 2, "f2f_to_float": 8, "f2f_to_double": 8, "dfma": 2}
        self.check(intervals, 32, 4, 0.75, 32, 128, 19, 76)

    def test_finds_other_values(self):
        intervals = {"ffma": 2, "fmnmx": 4, "fsel": 1, "f2f_to_float": 64, "f2f_to_double": 64, "dfma": 64}
        for banks, lines_a_cycle in ((32, 1), (32, 2), (16, 4), (64, 4)):
            self.check(intervals, banks, lines_a_cycle, 1.25, 16, 64, 11, 120)

    def test_has_only_names_that_the_model_knows(self):
        ceilings = (ROOT / "bench/results/h200/ceilings.json").read_text()
        found = json.loads(calibrated(ceilings).stdout)
        for instruction in found.pop("instructions"):
            self.assertIn(f'"{instruction}"', TIMING)
        for name in found:
            self.assertIn(f'f("{name}", t.{name})', TIMING)

    def test_has_only_what_was_measured(self):
        done = calibrated({"device": "Made up", "dfma_per_cycle": 2.0})
        names = ("DFMA", "DADD", "DMUL", "DSETP")
        self.assertEqual(json.loads(done.stdout), {"instructions": {name: {"interval": 64} for name in names}})

    def test_refuses_what_is_not_of_device_ceilings(self):
        for text in ("{", '{"device": "Made up"}'):
            done = calibrated(text)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(re.match("calibrate: .*ceilings.json", done.stderr), done.stderr)

    def test_writes_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "timing.json"
            done = calibrated({"graph_of_1_us": 3, "graph_of_4_us": 6}, "--output", str(path))
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(json.loads(path.read_text()), {"launch": 1.0, "first_launch": 2.0})


if __name__ == "__main__":
    unittest.main()
