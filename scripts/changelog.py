#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the changes in .changes into CHANGELOG.md, so that no two branches edit the same lines.

A change is a file .changes/NAME.KIND.md: KIND is added, changed, deprecated, removed, fixed or security, the text is
one item of the list without its dash.

Usage: scripts/changelog.py            checks the files, and prints what they will become
       scripts/changelog.py --collect  moves them into the first section of CHANGELOG.md
       scripts/changelog.py --release [YYYY-MM-DD]  the same, and writes the date in place of "unreleased"
"""

import argparse
import datetime
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ["changed", "added", "deprecated", "removed", "fixed", "security"]  # in the order of the sections
WIDTH = 120
UNRELEASED = " – unreleased"


def fail(message: str) -> None:
    print(f"changelog: {message}", file=sys.stderr)
    sys.exit(1)


def read_changes(folder: Path) -> dict[str, list[str]]:
    """The items of each kind, in the order of the files' names."""
    items: dict[str, list[str]] = {}
    for path in sorted(p for p in folder.glob("*") if p.name != ".gitkeep"):
        words = path.name.split(".")
        if len(words) != 3 or words[1] not in KINDS or words[2] != "md":
            fail(f"{path.name}: the name must be NAME.KIND.md, KIND one of {', '.join(KINDS)}")
        text = " ".join(path.read_text(encoding="utf-8").split())
        if not text or text[0] in "-*#":
            fail(f"{path.name}: expected the text of one item, without a dash")
        if text[-1] not in ".`)":
            fail(f"{path.name}: expected a sentence that ends")
        lines = textwrap.wrap(
            text, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        items.setdefault(words[1], []).append("\n".join(lines))
    return items


def with_changes(changelog: str, items: dict[str, list[str]]) -> str:
    """The changelog with the items at the ends of the lists of its first section."""
    headings = [m.start() for m in re.finditer(r"^## ", changelog, re.M)]
    if not headings or UNRELEASED not in changelog[headings[0] :].split("\n")[0]:
        fail(f'CHANGELOG.md: expected a first section "## [VERSION]{UNRELEASED}"')
    end = headings[1] if len(headings) > 1 else len(changelog)
    before, section, after = changelog[: headings[0]], changelog[headings[0] : end].rstrip("\n"), changelog[end:]
    lists = re.split(r"^### ", section, flags=re.M)
    by_kind = {text.split("\n")[0].lower(): text.rstrip("\n") for text in lists[1:]}
    for kind, texts in items.items():
        by_kind[kind] = "\n".join([by_kind.get(kind, f"{kind.capitalize()}\n"), *texts])
    ordered = sorted(by_kind, key=lambda kind: KINDS.index(kind) if kind in KINDS else len(KINDS))
    section = lists[0] + "\n\n".join(f"### {by_kind[kind]}" for kind in ordered) + "\n"
    return before + section + (f"\n{after}" if after else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collect", action="store_true", help="move the changes into CHANGELOG.md")
    parser.add_argument("--release", nargs="?", const=datetime.date.today().isoformat(), metavar="YYYY-MM-DD")
    parser.add_argument("--folder", type=Path, default=ROOT, help="with CHANGELOG.md and .changes (for tests)")
    arguments = parser.parse_args()
    folder, target = arguments.folder / ".changes", arguments.folder / "CHANGELOG.md"

    items = read_changes(folder)
    if not arguments.collect and arguments.release is None:
        print("\n\n".join(f"### {kind.capitalize()}\n\n" + "\n".join(items[kind]) for kind in KINDS if kind in items))
        return
    text = with_changes(target.read_text(encoding="utf-8"), items)
    if arguments.release is not None:
        text = text.replace(UNRELEASED, f" – {datetime.date.fromisoformat(arguments.release)}", 1)
    target.write_text(text, encoding="utf-8")
    for path in folder.glob("*.md"):
        path.unlink()


if __name__ == "__main__":
    main()
