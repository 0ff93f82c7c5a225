#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bench/results/FIGURES.md, the table of the figures of the papers, from the list bench/paper_figures.txt.

bench/paper_figures.py [--update]

A line of the list is FIGURES | what they show | STATUS | commands | what was found | what the paper has; a heading
names the paper, and pictures are copied. Every command has to exist, with its cases, and every decimal number that was
found has to be in the output of its commands, where bench/results keeps that. Without --update nothing is written, and
the exit status is 1 if the page would change.
"""

import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST, PAGE = ROOT / "bench/paper_figures.txt", ROOT / "bench/results/FIGURES.md"
STATUS = {"reproduced": "✓", "nearly": "~", "not": ""}
HEAD = """Written by `bench/paper_figures.py --update` from `bench/paper_figures.txt`. Of {all} figures and
demonstrations that show a result, {reproduced} are reproduced (✓), {nearly} nearly (~: something like it, or a test of
it), {not} not. [How to run a command](../README.md)."""
COLUMNS = "| figure | what it shows | | by | found | the paper |\n|---|---|---|---|---|---|\n"


def count(figures):
    """The number of figures in a name such as 5.4–5.6, 5.9."""
    total = 0
    for part in figures.split(", "):
        first, _, last = part.partition("–")
        total += int(re.sub(r"^\d+\.", "", last)) - int(re.sub(r"^\d+\.", "", first)) + 1 if last else 1
    return total


def output_of(command):
    """What bench/results keeps of a command; None if nothing."""
    kept = ROOT / f"bench/results/{Path(command.split()[0]).stem}.txt"
    return kept.read_text() if kept.exists() else None


def faults_of(figures, status, commands, found):
    """What is wrong with a line."""
    if status not in STATUS:
        yield f"status {status!r}"
    if (status == "not") != (not commands):
        yield "commands stand where, and only where, there is something to run"
    for command in commands:
        path, *options = command.split()
        if not (ROOT / path).exists():
            yield f"no {path}"
        elif options and not all(name in (ROOT / path).read_text() for name in options[-1].split(",")):
            yield f"{path} has no {options[-1]}"
    outputs = [text for text in map(output_of, commands) if text]
    for number in re.findall(r"\d+\.\d+(?:e-?\d+)?", found) if outputs else ():
        if not any(re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", text) for text in outputs):
            yield f"{number} does not stand in the output"


def table():
    """The page, and what is wrong with the list."""
    rows, missing, faults, counts = [], [], [], Counter()

    def end_of_paper():
        """A paragraph of what a paper shows and Isopatch does not."""
        if missing:
            text = f"Not reproduced, for want of what stands in brackets: {'; '.join(missing)}."
            rows.append("\n" + textwrap.fill(text, 120, break_on_hyphens=False) + "\n")
            missing.clear()

    for line in LIST.read_text().splitlines():
        if line.startswith("!["):
            rows.append(f"\n{line}\n")
            continue
        if line.startswith("# "):
            end_of_paper()
            name, _, paper = line[2:].partition(": ")
            columns = "" if name == "Pictures" else f"\n{COLUMNS}"
            rows.append(f"\n## {name}\n\n{textwrap.fill(paper, 120)}.\n{columns}")
            continue
        figures, shows, status, by, found, paper = (cell.strip() for cell in line.split("|"))
        commands = [command for command in by.split(", ") if command]
        faults += [f"{figures}: {fault}" for fault in faults_of(figures, status, commands, found)]
        counts[status] += count(figures)
        if status == "not":
            missing.append(f"{figures} ({found})")
            continue
        by = ", ".join(f"`{command}`" for command in commands)
        rows.append(f"| {figures} | {shows} | {STATUS.get(status)} | {by} | {found} | {paper} |\n")
    head = textwrap.fill(HEAD.format(all=counts.total(), **counts), 120, break_on_hyphens=False)
    return f"# Figures of the papers\n\n{head}\n" + "".join(rows), faults


def main():
    page, faults = table()
    if faults:
        sys.exit("\n".join(f"paper_figures: {fault}" for fault in faults))
    if "--update" in sys.argv:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("paper_figures: the table is not as the list says; bench/paper_figures.py --update writes it")


if __name__ == "__main__":
    main()
