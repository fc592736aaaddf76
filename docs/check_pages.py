#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks README.md, CONTRIBUTING.md, CHANGELOG.md and the pages of docs, or the files given:

  check_pages.py [--list] [FILE...]

A page has at most 2,000 words, a line at most 100 columns, and a sentence at most 40 words. Code is
not checked; tables and links may have longer lines, and words of generated tables are not counted.
--list prints words, sentences over 30 words and the longest sentence of each page.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
MOST_WORDS = 2000
MOST_COLUMNS = 100
MOST_WORDS_OF_A_SENTENCE = 40

GENERATED = re.compile(r"<!-- table: .*?<!-- end of table -->", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"\]\([^)]*\)")
ITEM = re.compile(r"\s*([-*+]|\d+\.|#+|>)\s+")
NUMBERED = re.compile(r"(\s*)(?!1\.)\d+\.\s")
END_OF_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")


def blank_lines(match):
    return "\n" * match[0].count("\n")


def prose(text):
    """(line number, line) without code, comments and generated tables."""
    text = COMMENT.sub(blank_lines, GENERATED.sub(blank_lines, text))
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        opened = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence:
            if opened and opened[1].startswith(fence):
                fence = None
        elif opened:
            fence = opened[1]
        else:
            yield number, line


def sentences(lines):
    """(line number, sentence) of paragraphs and list items; tables are left out.

    As in Markdown, a number and a full stop within a paragraph ("200. More") begin no list item,
    unless the number is 1 or the paragraph is an item that is indented as much.
    """
    begin, words, indent = 0, [], -1

    def ended():
        for sentence in END_OF_SENTENCE.split(" ".join(words)):
            yield begin, sentence

    for number, line in lines:
        is_table = line.lstrip().startswith("|")
        numbered = NUMBERED.match(line)
        is_item = ITEM.match(line) and not (words and numbered and len(numbered[1]) > indent)
        if is_table or not line.strip() or is_item:
            yield from ended()
            words, indent = [], len(line) - len(line.lstrip()) if is_item else -1
        if not is_table and line.strip():
            if not words:
                begin = number
            words.append(LINK.sub("]", ITEM.sub("", line) if is_item else line.strip()))
    yield from ended()


def check(path):
    lines = list(prose(path.read_text(encoding="utf-8")))
    name = path.relative_to(TOP) if TOP in path.parents else path
    faults = []
    words = sum(len(line.split()) for _, line in lines)
    if words > MOST_WORDS:
        faults.append(f"{name}: {words} words, of at most {MOST_WORDS}")
    for number, line in lines:
        is_free = line.lstrip().startswith("|") or "](" in line or "://" in line
        if len(line) > MOST_COLUMNS and not is_free:
            faults.append(f"{name}:{number}: {len(line)} columns, of at most {MOST_COLUMNS}")
    counts = [(len(s.split()), number, s) for number, s in sentences(lines)]
    for count, number, sentence in counts:
        if count > MOST_WORDS_OF_A_SENTENCE:
            faults.append(f"{name}:{number}: a sentence of {count} words: {sentence[:60]}...")
    over_30 = sum(count > 30 for count, _, _ in counts)
    return faults, (words, over_30, max(count for count, _, _ in counts), str(name))


def main(arguments):
    listing = "--list" in arguments
    paths = [pathlib.Path(a).resolve() for a in arguments if a != "--list"]
    if not paths:
        paths = [TOP / n for n in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
        paths += sorted((TOP / "docs").rglob("*.md"))
        paths = [p for p in paths if TOP / "docs" / "reference" / "api" not in p.parents]
    faults, rows = [], []
    for path in paths:
        found, row = check(path)
        faults += found
        rows.append(row)
    if listing:
        print("words  >30  longest  page")
        for words, over_30, longest, name in sorted(rows):
            print(f"{words:5}  {over_30:3}  {longest:7}  {name}")
    print(f"{len(rows)} pages, {sum(r[0] for r in rows)} words, {sum(r[1] for r in rows)} "
          f"sentences over 30 words, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
