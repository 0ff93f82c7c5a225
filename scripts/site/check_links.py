#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a link of a site leads to a file or an anchor that the site has not. Usage: check_links.py FOLDER"""

import functools
import pathlib
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], {"", "top"}

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


@functools.cache
def read(path: pathlib.Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def main() -> None:
    site, dead, links = pathlib.Path(sys.argv[1]).resolve(), [], 0
    for path in sorted(site.rglob("*.html")):
        for link in read(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            links += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file() or site not in target.parents:
                dead.append(f"{path.relative_to(site)}: no {link}")
            elif target.suffix == ".html" and anchor not in read(target).anchors:
                dead.append(f"{path.relative_to(site)}: no anchor {link}")
    print(*dead, sep="\n", file=sys.stderr)
    if dead or not links:
        sys.exit(f"{len(dead)} of {links} links are dead")
    print(f"{links} links lead somewhere")


if __name__ == "__main__":
    main()
