# SPDX-License-Identifier: Apache-2.0
"""What Doxygen and pdoc wrote into the folders reference/cpp and reference/python of the site: names and texts."""

import functools
import pathlib
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

from docutils import nodes, utils

TAGS = "reference/cpp/isopatch.tag"


@functools.cache
def names(site):
    """Of C++ and of Python: what a page can call a thing, and its place in the site."""
    cpp, python = {}, {}
    for compound in xml.parse(pathlib.Path(site) / TAGS).iter("compound"):
        name = compound.findtext("name").removeprefix("isopatch::")
        if compound.get("kind") in ("class", "struct"):
            cpp[name] = f"reference/cpp/{compound.findtext('filename')}"
        for member in compound.iter("member"):
            scope = f"{name}::" if compound.get("kind") in ("class", "struct") else ""
            place = f"reference/cpp/{member.findtext('anchorfile')}#{member.findtext('anchor')}"
            cpp.setdefault(scope + member.findtext("name"), place)
    for page in (pathlib.Path(site) / "reference/python").rglob("*.html"):
        module = page.stem + "." if page.parent.name == "isopatch" else ""
        for anchor, _, _ in sections_of(page):
            if anchor:
                python[module + anchor] = f"{page.relative_to(site).as_posix()}#{anchor}"
    return {"cpp": cpp, "python": python}


class _Sections(HTMLParser):
    """Lists [anchor, title, text] for each name that a page documents, the first of the page as a whole."""

    def __init__(self):
        super().__init__()
        self.found, self.inside = [["", "", ""]], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        anchor, classes = given.get("id") or "", given.get("class") or ""
        if tag in ("script", "style", "nav", "title") or "pdoc-code" in classes:
            self.inside.append(tag)
        if tag == "section" or "classattr" in classes:  # of pdoc
            self.found.append([anchor, anchor, ""])
        elif tag == "a" and anchor and anchor == given.get("name"):  # of Doxygen
            self.found.append([anchor, "", ""])

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if self.inside == ["title"]:
            self.found[0][1] += data
        elif not self.inside:
            self.found[-1][2] += data


@functools.cache
def sections_of(page):
    parser = _Sections()
    parser.feed(page.read_text(encoding="utf-8"))
    return [section for section in parser.found if section[1] or section[2].strip()]


def doctrees(site):
    """The pages, without .html, each with its sections as Sphinx's search takes them."""
    titles = {place: name for name, place in names(site)["cpp"].items()}
    for page in sorted((pathlib.Path(site) / "reference").rglob("*.html")):
        if page.parent.name == "cpp" and not page.stem.startswith(("class", "struct", "namespace")):
            continue
        if page.stem.endswith(("-members", "members")) or page.stem in ("classes", "namespaces", "index"):
            continue
        document = utils.new_document(str(page))
        name = page.relative_to(site).as_posix()
        for anchor, title, text in sections_of(page):
            title = titles.get(f"{name}#{anchor}", title) or anchor
            section = nodes.section("", nodes.title("", title), nodes.paragraph("", text), ids=[anchor])
            document += section
        yield name.removesuffix(".html"), document
