#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that a change adds: comments that leave a noun out, and subjects of commits that are too long.

"That of", "those of", "of which" and "of its own" stand for a noun that a reader has to look for: name it. Only lines
that differ from the commit before the change are looked at, see scripts/lint.py.

Usage: scripts/words.py; exits with status 1 and prints what it found.
"""

import re
import subprocess
import sys

from lint import commit_before

PATTERNS = ["*.h", "*.cpp", "*.cu", "*.cuh", "*.c", "*.py", "*.sh"]
COMMENT = re.compile(r"//|#|\"\"\"")
NO_NOUN = re.compile(r"\b(that of|those of|of which|of its own)\b", re.IGNORECASE)
LONGEST_SUBJECT = 100
UNFINISHED = re.compile(r"^(wip\b|fixup!|squash!)", re.IGNORECASE)


def faults_in(diff: str) -> list[str]:
    """ "path:line: text" of each added comment line without its noun, of a diff without context."""
    found, path, line = [], "", 0
    for text in diff.splitlines():
        if text.startswith("+++ "):
            path = text.removeprefix("+++ ").removeprefix("b/")
        elif text.startswith("@@"):
            line = int(re.search(r"\+(\d+)", text)[1])
        elif text.startswith("+"):
            comment = COMMENT.search(text[1:])
            if comment and NO_NOUN.search(text[1:], comment.start()):
                found.append(f"{path}:{line}: {text[1:].strip()}")
            line += 1
    return found


def faults_of(subjects: list[str]) -> list[str]:
    return [s for s in subjects if len(s) > LONGEST_SUBJECT or UNFINISHED.match(s)]


def main() -> int:
    base = commit_before()
    if base is None:
        return 0

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout

    lines = faults_in(git("diff", "-U0", "--no-color", base, "--", *PATTERNS, ":!scripts/words.py", ":!tests"))
    subjects = faults_of(git("log", "--no-merges", "--format=%s", f"{base}..HEAD").splitlines())
    for line in lines:
        print(f"{line}\n^ name the noun")
    for subject in subjects:
        print(f"commit: {subject}\n^ at most {LONGEST_SUBJECT} characters, of finished work")
    return 1 if lines or subjects else 0


if __name__ == "__main__":
    sys.exit(main())
