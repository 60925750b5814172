import assert from "node:assert/strict";
import { test } from "node:test";
import { blankLiterals } from "./blank-literals.ts";

/** Opens an expression in a template. */
const open = ["$", "{"].join("");

/** Input and what remains of it, where _ stands for a blanked character. */
const cases: readonly [string, string][] = [
  ["a(); // b()", "a(); ______"],
  ["/* a\n b */ c", "____\n_____ c"],
  ['f("a // b", 1)', 'f("______", 1)'],
  ["f('a\\'b')", "f('____')"],
  [`f(\`a ${open}b(\`c\`)} d\`)`, `f(\`__${open}b(\`_\`)}__\`)`],
  [`f(\`${open} {a: 1}.a } x\`)`, `f(\`${open} {a: 1}.a }__\`)`],
  ["f(`a $ \\` b`)", "f(`________`)"],
  ["x = a / b / c;", "x = a / b / c;"],
  ['x = /a"[/]b/g.test(y)', "x = /______/g.test(y)"],
  ["return /'/;", "return /_/;"],
  ["if (a) { b } // c", "if (a) { b } ____"],
  ['"unfinished\nf()', '"unfinished\nf()'],
];

for (const [text, kept] of cases) {
  test(`blankLiterals() keeps the code of ${JSON.stringify(text)}`, () => {
    const code = blankLiterals(text);
    assert.equal(code.length, text.length);
    const shown = [...code].map((c, i) => (c === " " && text[i] !== " " ? "_" : c));
    const wanted = [...kept].map((c, i) => (c === "_" && text[i] === " " ? " " : c));
    assert.equal(shown.join(""), wanted.join(""));
  });
}
