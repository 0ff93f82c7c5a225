#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels' machine code has no atomics for any kind of memory, which are a test of the address and a loop beside
the atomic for global memory: see CudaWarp::reserve() in kernels/runtime/cuda_warp.cuh.

Usage: tests/kernels/machine_code_test.py BUILD      exits with status 77 where NVIDIA's tools are missing

The test EmulatedRuntime.KernelsHaveNoAtomicsForAnyKindOfMemory sees the same in the kernels' PTX, and needs no tools.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FUNCTION = re.compile(r"^\s+Function : (\S+)")
GENERIC = re.compile(r" (ATOM\.E|QSPC)\S*")
SKIPPED = 77


def find_tools(build: Path) -> Path | None:
    """The folder of cuobjdump and nvdisasm: on PATH, or where bench/cycle_model/predict.py has installed them."""
    for found in [shutil.which("cuobjdump"), *build.glob("cycle_model/tools/**/cuobjdump")]:
        if found is not None and (Path(found).parent / "nvdisasm").exists():
            return Path(found).parent
    return None


def generic_atomics(code: str) -> dict[str, list[str]]:
    """Instructions by kernel."""
    found: dict[str, list[str]] = {}
    kernel = ""
    for line in code.splitlines():
        if begins := FUNCTION.match(line):
            kernel = begins[1]
        elif generic := GENERIC.search(line):
            found.setdefault(kernel, []).append(generic[0].strip())
    return found


def main() -> int:
    build = Path(sys.argv[1])
    known = generic_atomics(" Function : k\n /*0*/ ATOM.E.ADD.64 P0 ;\n /*1*/ QSPC.E.S P0 ;\n /*2*/ ATOMG.E.ADD PT ;\n")
    assert known == {"k": ["ATOM.E.ADD.64", "QSPC.E.S"]}, known
    tools = find_tools(build)
    if tools is None:
        print(f"{__file__}: Skipped\ncuobjdump and nvdisasm are missing; bench/cycle_model/predict.py installs them")
        return SKIPPED
    objects = sorted((build / "CMakeFiles/isopatch.dir/kernels").rglob("*.cu.o"))
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    kernels, status = 0, 0
    for binary in objects:
        command = [tools / "cuobjdump", "-sass", binary]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode != 0 and "does not contain device code" not in done.stderr:
            print(f"{binary}: cuobjdump ended with {done.returncode}: {done.stderr.strip()}")
            status = 1
        kernels += len(re.findall(FUNCTION.pattern, done.stdout, re.MULTILINE))
        for kernel, instructions in generic_atomics(done.stdout).items():
            print(f"{binary.name}: {kernel} has {', '.join(instructions)}")
            status = 1
    print(f"{kernels} kernels in {len(objects)} objects")
    return status if kernels > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
