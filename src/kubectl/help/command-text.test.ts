import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCommandText } from "./parse-command-text.ts";

const cases = [
  {
    name: "joins the lines of a paragraph, and indents all but the first",
    text: "First line\nsecond line.\n\nAnother\nparagraph.\n",
    expected: { description: "First line second line.\n\n Another paragraph.", examples: "" },
  },
  {
    name: "indents lists, and joins the lines of an item",
    text: "Types:\n\n* one\n  more of it\n* two\n\n1. first\n2. second\n",
    expected: {
      description: "Types:\n\n  *  one more of it\n  *  two\n\n  1.  first\n  2.  second",
      examples: "",
    },
  },
  {
    name: "keeps command lines as they are",
    text: "Run\n\n    kubectl get\n    kubectl set\n\nfirst.\n",
    expected: {
      description: "Run\n\n        kubectl get\n        kubectl set\n\n first.",
      examples: "",
    },
  },
  {
    name: "separates examples by lines of two spaces",
    text: "Text.\n\nExamples:\n  # One\n  kubectl a\n\n  # Two\n  kubectl b\n",
    expected: {
      description: "Text.",
      examples: "  # One\n  kubectl a\n  \n  # Two\n  kubectl b",
    },
  },
];

for (const { name, text, expected } of cases) {
  test(`parseCommandText() ${name}`, () => assert.deepEqual(parseCommandText(text), expected));
}
