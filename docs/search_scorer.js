// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Order of search results: guides and reference before the API pages, decisions last. The numbers
// are the defaults of Sphinx; only score() differs.
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename]) => {
    if (docname.startsWith("decisions/")) return score - 8;
    if (docname.startsWith("reference/api/") && !descr) return score - 4;
    if (docname.startsWith("reference/") || docname.startsWith("guides/")) return score + 2;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
