#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy on the C++ sources that a change touches, then on a share of the others, another one for each commit.

A finding in a file that differs from the commit before the change fails. One in another file is printed and does not
fail. The commit before the change is the first of these that is there and has other files:

  - what ISOPATCH_LINT_BASE names
  - where this branch left the upstream main
  - the commit in .ci/landed, the last one that was landed before the work began
  - the parent

Touched are the sources that differ, the newest first, one source for each header that differs, and then the others that
include such a header directly.

Usage: scripts/lint.py BUILD [--list]
  BUILD    a folder with compile_commands.json, with a command for each source
  --list   print the sources in their order, and lint nothing
The environment:
  ISOPATCH_LINT_SECONDS    600 by default: what is not done by then is left out, and named
  ISOPATCH_LINT_SHARES     one of so many shares of the other sources is linted; 16 by default, 1 for all of them
  ISOPATCH_LINT_ANALYZED   clang-tidy's analyzer, three quarters of its time, runs if no more sources than these are
                           touched; 40 by default
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
FINDING = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:warning|(?:fatal )?error): .*$", re.MULTILINE)
NO_FINDING = re.compile(r"(warnings?|errors?) (generated|treated)|^Suppressed|^Use -header-filter")
PATTERNS = ["*.h", "*.cpp"]


def git(*arguments: str) -> str | None:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def lines_of(*arguments: str) -> list[str]:
    return (git(*arguments) or "").splitlines()


def number(name: str, otherwise: int) -> int:
    text = os.environ.get(name) or str(otherwise)
    if not text.isdecimal():
        sys.exit(f'scripts/lint.py: {name}="{text}": expected a whole number')
    return int(text)


def commit_before() -> str | None:
    """The commit that a change is counted from, or None."""
    named = os.environ.get("ISOPATCH_LINT_BASE")
    if named:
        found = git("rev-parse", "-q", "--verify", f"{named}^{{commit}}")
        if found is None:
            sys.exit(f"scripts/lint.py: ISOPATCH_LINT_BASE={named}: there is no such commit")
        return found
    landed = Path(".ci/landed")
    for name in ["origin/main", "@{upstream}", landed.read_text().strip() if landed.exists() else "", "HEAD~1"]:
        found = git("merge-base", name, "HEAD") if name else None
        if found and git("diff", "--quiet", found) is None:  # fails if there are differences
            return found
    return None


def changed_since(base: str | None) -> list[str]:
    """Headers and sources that differ, those that were edited last first."""
    if base is None:
        return []
    differ = set(lines_of("diff", "--name-only", "--diff-filter=d", base, "--", *PATTERNS))
    newest = lines_of("diff", "--name-only", "HEAD", "--", *PATTERNS)
    newest += lines_of("log", "--format=", "--name-only", f"{base}..HEAD", "--", *PATTERNS)
    return list(dict.fromkeys([name for name in newest if name in differ] + sorted(differ)))


def includers() -> dict[str, list[str]]:
    """The tracked files that include each header directly. An include is spelt from the root, or from include/."""
    files = [name for name in lines_of("ls-files", *PATTERNS) if Path(name).exists()]
    known = set(files)
    found: dict[str, list[str]] = {}
    for name in files:
        for spelt in set(INCLUDE.findall(Path(name).read_text(encoding="utf-8", errors="replace"))):
            for header in (spelt, f"include/{spelt}"):
                if header in known:
                    found.setdefault(header, []).append(name)
    return found


def sources_of(header: str, by_header: dict[str, list[str]], known: set[str]) -> list[str]:
    """The known sources that include the header directly, or through the fewest others; of its own name first."""
    seen = {header}
    level = [header]
    while level:
        level = sorted({name for each in level for name in by_header.get(each, [])} - seen)
        seen.update(level)
        if sources := [name for name in level if name in known]:
            return sorted(sources, key=lambda name: not Path(name).name.startswith(Path(header).stem))
    return []


@dataclass
class Order:
    """What is linted, in this order."""

    base: str | None
    changed: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    shares: int = 1


def order(known: set[str]) -> Order:
    base = commit_before()
    result = Order(base, changed_since(base), shares=max(1, number("ISOPATCH_LINT_SHARES", 16)))
    touched = [name for name in result.changed if name in known]
    by_header = includers()
    headers = [name for name in result.changed if name.endswith(".h")]
    of_headers = {header: sources_of(header, by_header, known) for header in headers}
    for sources in of_headers.values():  # one each
        if sources and not set(sources) & set(touched):
            touched.append(sources[0])
    for header, sources in of_headers.items():  # then all that see it themselves
        touched += [name for name in sources if name in by_header.get(header, [])]
    result.touched = list(dict.fromkeys(touched))

    rest = sorted(known - set(result.touched))
    share = int((git("rev-parse", "HEAD") or "0")[:8], 16) % result.shares
    result.others = rest[share :: result.shares]
    return result


@dataclass
class Outcome:
    """What clang-tidy said of a source; left: there was no time."""

    source: str
    status: int = 0
    text: str = ""
    left: bool = False


def lint(source: str, build: Path, checks: list[str], until: float) -> Outcome:
    remaining = until - time.monotonic()
    if remaining <= 0:
        return Outcome(source, left=True)
    command = ["clang-tidy", "-quiet", "-p", str(build), *checks, source]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=remaining)
    except subprocess.TimeoutExpired:
        return Outcome(source, left=True)
    said = [line for line in done.stderr.splitlines() if not NO_FINDING.search(line)]
    return Outcome(source, done.returncode, done.stdout.rstrip() + "".join(f"\n{line}" for line in said))


def judge(outcomes: list[Outcome], changed: set[str], touched: set[str]) -> int:
    """Prints each finding once and returns 1 if one is in a file that changed."""
    root = Path.cwd()
    seen: set[str] = set()
    status = 0
    for outcome in outcomes:
        if outcome.status == 0:
            continue
        findings = {match[0]: os.path.relpath(match[1], root) for match in FINDING.finditer(outcome.text)}
        if findings and not set(findings) - seen:
            continue
        fails = bool(set(findings.values()) & changed) if findings else outcome.source in touched
        status = 1 if fails else status
        seen.update(findings)
        print(outcome.text.strip() or f"{outcome.source}: clang-tidy ended with {outcome.status}")
        if not fails:
            print(f"^ {outcome.source}: not in what the change touches, so this does not fail")
    return status


def main() -> int:
    arguments = [name for name in sys.argv[1:] if name != "--list"]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: scripts/lint.py BUILD [--list]", file=sys.stderr)
        return 2
    build = Path(arguments[0]).resolve()
    os.chdir(Path(__file__).resolve().parents[1])
    root = Path.cwd()
    commands = json.loads((build / "compile_commands.json").read_text())
    tracked = {name for name in lines_of("ls-files", "*.cpp") if Path(name).exists()}
    known = {os.path.relpath(command["file"], root) for command in commands} & tracked

    plan = order(known)
    if plan.base is None:
        print("clang-tidy: no commit to count a change from, so nothing fails")
    else:
        print(
            f"clang-tidy: {len(plan.changed)} files differ from {plan.base[:7]}, "
            f"which touches {len(plan.touched)} of {len(known)} sources"
        )
    print(f"clang-tidy: {len(plan.others)} others, one share of {plan.shares}, without the analyzer", flush=True)
    if "--list" in sys.argv:
        print("\n".join([f"touched {name}" for name in plan.touched] + [f"other {name}" for name in plan.others]))
        return 0

    seconds = number("ISOPATCH_LINT_SECONDS", 600)
    started = time.monotonic()
    without_analyzer = ["-checks=-clang-analyzer-*"]
    few = len(plan.touched) <= number("ISOPATCH_LINT_ANALYZED", 40)
    jobs = [(name, [] if few else without_analyzer) for name in plan.touched]
    jobs += [(name, without_analyzer) for name in plan.others]
    if not few:
        print("clang-tidy: the touched ones without the analyzer too, as they are many", flush=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:  # each takes the next source while there is time
        outcomes = list(pool.map(lambda job: lint(job[0], build, job[1], started + seconds), jobs))

    status = judge(outcomes, set(plan.changed), set(plan.touched))
    left = [outcome.source for outcome in outcomes if outcome.left]
    print(f"clang-tidy: {len(outcomes) - len(left)} sources linted in {time.monotonic() - started:.0f} s")
    if left:
        print(f"clang-tidy: left {len(left)} out, for which {seconds} s were not enough:")
        print("\n".join(f"  {name}" for name in left))
    return status


if __name__ == "__main__":
    sys.exit(main())
