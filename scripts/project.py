#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the addresses of scripts/project.env where they belong, and into the metadata of the Python package.

Usage: scripts/project.py            fails if a file has others
       scripts/project.py --update   writes them
pyproject.toml has `dynamic_metadata`: there, links of the README lead into the repository, or are left out without one.
"""

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
AUTHORS = "The Isopatch maintainers"


def addresses() -> tuple[str, str, str]:
    """Of the repository, the site, and for e-mail; empty while there is none."""
    text = (ROOT / "scripts/project.env").read_text(encoding="utf-8")
    found = dict(re.findall(r"^ISOPATCH_(\w+)=(.*)$", text, re.M))
    return found["URL"].strip(), found["SITE"].strip(), found["EMAIL"].strip()


def places(url: str, site: str, email: str) -> dict[str, tuple[str, str]]:
    """For each file, what is replaced, and by what."""
    clone = f"git clone {url} isopatch && cd isopatch\n" if url else "cd isopatch   # the folder of the source\n"
    first_line = (r"(?m)^(git clone \S+ isopatch && )?cd isopatch.*\n", clone)
    citation = (f"repository-code: {url}\n" if url else "") + (f"url: {site}\n" if site else "")
    pages = f"[All pages]({site}), with search.\n\n" if site else ""
    return {
        "CITATION.cff": (r"(?m)^(repository-code: .*\n)?(url: .*\n)?(?=license: )", citation),
        "README.md": (r"(?<=\A# Isopatch\n\n)(\[All pages\]\(.*\n\n)?", pages),
        "SECURITY.md": (r"(?<=page of the repository)(, or to \S+)?(?=, not)", f", or to {email}" if email else ""),
        ".github/CODE_OF_CONDUCT.md": (r"(?<=to the maintainers)( at \S+)?(?=, who)", f" at {email}" if email else ""),
        "host/python/FIRST_GRASP.md": first_line,
        "host/python/TRAIN.md": first_line,
    }


def with_addresses(path: str, pattern: str, text: str) -> tuple[str, str]:
    """A file, and what it should be."""
    before = (ROOT / path).read_text(encoding="utf-8")
    after, count = re.subn(pattern, lambda _: text, before, count=1)
    if not count:
        sys.exit(f"project: {path}: no place for {pattern}")
    return before, after


def package_readme(text: str, url: str, version: str) -> str:
    """The README with links that work anywhere: into the repository at this version, or none."""

    def link(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if target.startswith(("http://", "https://")):
            return match[0]
        if url and not target.startswith("#"):
            return f"{picture}[{words}]({url}/{'raw' if picture else 'blob'}/v{version}/{target})"
        return "" if picture else words

    blocks = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    blocks[::2] = [re.sub(r"(!?)\[([^\]]+)\]\(([^)\s]+)\)", link, block) for block in blocks[::2]]
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"<!--.*?-->\n", "", "".join(blocks)))


def dynamic_metadata(settings: Any = None, project: Any = None) -> dict[str, Any]:
    """What scikit-build-core asks of pyproject.toml's provider."""
    url, site, email = addresses()
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"project\(isopatch VERSION ([0-9.]+)", cmake)[1]
    readme = package_readme((ROOT / "README.md").read_text(encoding="utf-8"), url, version)
    return {
        "version": version,
        "readme": {"content-type": "text/markdown", "text": readme},
        "authors": [{"name": AUTHORS} | ({"email": email} if email else {})],
        "urls": ({"Source": url, "Issues": f"{url}/issues"} if url else {}) | ({"Documentation": site} if site else {}),
    }


def main() -> None:
    stale = []
    for path, (pattern, text) in places(*addresses()).items():
        before, after = with_addresses(path, pattern, text)
        if before != after:
            stale.append(path)
            if sys.argv[1:] == ["--update"]:
                (ROOT / path).write_text(after, encoding="utf-8")
    if stale and sys.argv[1:] != ["--update"]:
        sys.exit(f"project: {', '.join(stale)}: not the addresses of scripts/project.env; scripts/project.py --update")


if __name__ == "__main__":
    main()
