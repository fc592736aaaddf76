# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The documentation site: these pages by MyST, and the API reference by Doxygen and Breathe.

`./batchwork docs` builds it. By hand, in the checkout: sphinx-build -W docs build/docs/html
"""

import pathlib
import re
import subprocess

from sphinx.domains.cpp import CPPDomain
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

DOCS = pathlib.Path(__file__).resolve().parent
TOP = DOCS.parent
SOURCES = "https://github.com/batchwork/batchwork/blob/main"
GENERATED = DOCS / "reference" / "api"
DOXYGEN = TOP / "build" / "docs" / "doxygen"

project = "Batchwork"
author = "the Batchwork contributors"
copyright = author
version = re.search(r"VERSION (\d+\.\d+\.\d+)", (TOP / "CMakeLists.txt").read_text())[1]
release = version

extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
myst_heading_anchors = 4
breathe_projects = {"Batchwork": str(DOXYGEN / "xml")}
breathe_default_project = "Batchwork"
breathe_show_include = False
# Sphinx ignores requires-clauses, so it takes constrained overloads for one function.
suppress_warnings = ["duplicate_declaration.cpp"]

# Transposes (A') and options (--help) stay as they are written.
smartquotes = False

html_theme = "furo"
html_search_scorer = str(DOCS / "search_scorer.js")
html_title = f"Batchwork {version}"
html_theme_options = {
    "source_repository": "https://github.com/batchwork/batchwork/",
    "source_branch": "main",
    "source_directory": "docs/",
}
pygments_style = "tango"
pygments_dark_style = "monokai"

AREAS = {
    "core": "Numbers, status codes and options",
    "view": "Operands and adaptors of Views",
    "launch": "Launch labels, workspaces and tunings",
    "tile": "Tiles and their operations",
    "fused": "map and scan",
    "dense": "Dense verbs",
    "krylov": "Systems of equations",
    "banded": "Banded systems",
    "kalman": "Kalman filters",
    "tune": "Tuning",
}
SECTIONS = (
    "briefdescription detaileddescription innernamespace innerclass func var typedef enum define "
    "public-func public-attrib public-type public-static-func public-static-attrib user-defined"
)


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def api_pages():
    """A page for each area, with the public headers in it."""
    GENERATED.mkdir(exist_ok=True)
    pages = []
    for area, title in AREAS.items():
        lines = [f"# API: {title}", ""]
        for header in sorted((TOP / "src" / area).rglob("*.hpp")):
            name = header.relative_to(TOP / "src").as_posix()
            if "detail" in header.parts or not documented(header):
                continue
            lines += [f"## {header.stem.removeprefix('Batchwork_')}", ""]
            lines += [f"`#include <{name}>`", ""]
            lines += [f"```{{doxygenfile}} {header.name}", f":sections: {SECTIONS}", "```", ""]
        write_if_changed(GENERATED / f"{area}.md", "\n".join(lines))
        pages.append(area)
    index = ["# API reference", "", "From the doc comments of the public headers.", ""]
    index += ["```{toctree}"]
    write_if_changed(GENERATED / "index.md", "\n".join(index + pages + ["```", ""]))


def documented(header):
    return re.search(r"^ *///", header.read_text(), re.MULTILINE)


def run_doxygen(app):
    DOXYGEN.mkdir(parents=True, exist_ok=True)
    settings = (DOCS / "Doxyfile").read_text() + f'\nOUTPUT_DIRECTORY = "{DOXYGEN}"\n'
    said = subprocess.run(
        ["doxygen", "-"], input=settings, cwd=TOP, text=True, check=True, stderr=subprocess.PIPE
    ).stderr
    # \param names the arguments of a parameter pack, which Doxygen cannot know; it takes a
    # specialisation that inherits from another one for a cycle; and it has no standard library.
    harmless = re.compile(
        r"argument '\w+' of command @param is not found|too many @param commands"
        r"|potential recursive class relation|Incomplete input: scope for class std::"
    )
    for line in said.splitlines():
        if "warning:" in line and not harmless.search(line):
            LOGGER.warning(line)
    leave_out_details()
    api_pages()


def leave_out_details():
    """Specialisations of class templates are details; Sphinx fails on constrained ones. Members of
    classes without a doc comment are details as well."""
    inner = re.compile(r" *<innerclass [^>]*>[^<]*&lt;[^<]*</innerclass>\n")
    member = re.compile(r" *<memberdef .*?</memberdef>\n", re.DOTALL)
    description = re.compile(r"<(brief|detailed)description>(?!\s*</)")
    section = re.compile(r" *<sectiondef [^>]*>\s*</sectiondef>\n")
    for page in (DOXYGEN / "xml").glob("*.xml"):
        text = inner.sub("", page.read_text())
        if re.search(r'<compounddef [^>]*kind="(struct|class)"', text):
            text = member.sub(lambda m: m[0] if description.search(m[0]) else "", text)
            text = section.sub("", text)
        write_if_changed(page, text)


def link_to_sources(app, docname, text):
    """Links to files outside docs lead to the repository."""
    folder = (DOCS / docname).parent

    def link(match):
        path, hash_, anchor = match[1].partition("#")
        if not path or ":" in path:
            return match[0]
        target = (folder / path).resolve()
        if DOCS in target.parents or TOP not in target.parents or not target.exists():
            return match[0]
        return f"]({SOURCES}/{target.relative_to(TOP).as_posix()}{hash_}{anchor})"

    text[0] = re.sub(r"\]\(([^)\s]+)\)", link, text[0])


class SearchedDomain(CPPDomain):
    """C++ names for the search: each name of a page once, and no parameters."""

    def get_objects(self):
        known = set()
        for found in super().get_objects():
            name, _, kind, page, _, _ = found
            if not kind.endswith("Param") and (name, page) not in known:
                known.add((name, page))
                yield found


def setup(app):
    app.add_domain(SearchedDomain, override=True)
    app.connect("builder-inited", run_doxygen)
    app.connect("source-read", link_to_sources)
