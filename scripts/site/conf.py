# SPDX-License-Identifier: Apache-2.0
"""Makes the site of the pages where they lie, by Sphinx: see scripts/site.sh."""

import pathlib
import re
import sys

from docutils import nodes
from sphinx import addnodes

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "Isopatch"
release = version = re.search(r"project\(isopatch VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
html_title = f"Isopatch {version}"

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["[A-Z]*.md", *(f"{folder}/**.md" for folder in ("bench", "host", "include", "kernels", "tests"))]
myst_heading_anchors = 6  # as on GitHub
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
templates_path = ["."]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar_reference.html",
        "sidebar/scroll-end.html",
    ]
}

# every page must be here, or Sphinx warns
NAVIGATION = {
    "Start": ["host/python/FIRST_GRASP", "host/python/SEE_IT", "host/scene_file/NUMBERS", "host/scene_file/SCANS"],
    "Python": [
        "host/python/README",
        "host/python/MUJOCO",
        "host/python/WARP",
        "host/python/TRAIN",
        "host/python/CLUSTER",
        "host/python/SIMULATORS",
        "host/python/DRAKE",
    ],
    "Scenes and commands": [
        "host/scene_file/README",
        "host/scene_file/SHAPES",
        "host/scene_file/CONTACTS",
        "host/cli/README",
        "include/isopatch/MESSAGES",
    ],
    "C++": [
        "include/isopatch/INTERFACE",
        "include/isopatch/DERIVATIVES",
        "include/isopatch/SCENES",
        "include/isopatch/ROLLOUTS",
        "include/isopatch/TREES",
        "include/isopatch/MEMORY",
    ],
    "How it works": [
        "include/isopatch/README",
        "include/isopatch/detail/pressure_field/README",
        "include/isopatch/detail/force_law/README",
        "include/isopatch/detail/overlap/README",
        "include/isopatch/detail/polytope/README",
        "include/isopatch/RECIPES",
    ],
    "Measured": [
        "bench/README",
        "bench/results/README",
        "bench/results/POURS",
        "bench/results/THROUGHPUT",
        "bench/results/CYCLE_MODEL",
        "bench/results/FIGURES",
        "bench/results/OTHER_CODES",
        "bench/NOTES",
        "bench/notes/cpu",
        "bench/notes/gpu",
        "bench/notes/gpu_searches",
        "bench/notes/gpu_steps",
        "bench/notes/gpu_solves",
        "bench/notes/compilers",
    ],
    "Project": ["CONTRIBUTING", "SECURITY", "CHANGELOG", "tests/emulator/README"],
}


def add_navigation(app, docname, source):
    if docname == root_doc:
        for caption, pages in NAVIGATION.items():
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def name_folders(app, doctree):
    """A link to a folder, which GitHub lists, is its name alone."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        if (ROOT / pathlib.Path(app.env.docname).parent / link["reftarget"]).is_dir():
            link.replace_self(link.children)


def link_names(app, doctree, docname):
    """What a page names, as `Simulator.step()`, leads to the reference."""
    names = reference.names(app.outdir)
    prefix = "../" * docname.count("/")
    for literal in list(doctree.findall(nodes.literal)):
        if not re.fullmatch(r"[A-Z]\w+|[\w.:]+\(\)|\w+(\.|::)[\w.:]+", literal.astext()):
            continue  # as a key of a scene, which may be called as a function is
        name = literal.astext().removesuffix("()").removeprefix("isopatch.").removeprefix("isopatch::")
        target = names["python" if docname.startswith("host/python/") else "cpp"].get(name)
        if target and not isinstance(literal.parent, nodes.reference):
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=prefix + target, internal=True))


def index_reference(app):
    """Puts the reference into what the site's search finds."""
    app.builder.indexer.prune = lambda docnames: None  # or they would be left out again
    for page, doctree in reference.doctrees(app.outdir):
        app.builder.indexer.feed(page, f"{page}.html", doctree.next_node(nodes.title).astext(), doctree)
    return []


def setup(app):
    app.connect("source-read", add_navigation)
    app.connect("doctree-read", name_folders)
    app.connect("doctree-resolved", link_names)
    app.connect("html-collect-pages", index_reference)
