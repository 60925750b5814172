import assert from "node:assert/strict";
import { test } from "node:test";
import { importsOf } from "./module-imports.ts";
import { stripModule } from "./strip-module.ts";

const cases: readonly (readonly [
  source: string,
  first: readonly string[],
  later: readonly string[],
])[] = [
  ['import { a } from "./a.ts";\nimport b, * as c from "b";', ["./a.ts", "b"], []],
  ['import"./effect.js";', ["./effect.js"], []],
  [
    'import{a as b}from"preact";export{c}from"./c.js";export*from"./d.js"',
    ["preact", "./c.js", "./d.js"],
    [],
  ],
  ['import {\n  a,\n  b,\n} from "./many.ts";', ["./many.ts"], []],
  ['const page = await import("./page.ts");', [], ["./page.ts"]],
  ['const from = "x"; const text = `import "no"`;', [], []],
];

for (const [source, first, later] of cases) {
  test(`importsOf() reads ${source.replaceAll("\n", " ")}`, () => {
    assert.deepEqual(importsOf(source), { first, later });
  });
}

test("stripModule() removes types, imports of types and comments", () => {
  const source = `import type { A } from "./a.ts";
/** What it is. */
export function double(value: number): number {
  // Twice.
  return value * 2; // two
}
`;
  const stripped = stripModule(source);
  assert.deepEqual(importsOf(stripped), { first: [], later: [] });
  assert.doesNotMatch(stripped, /number|What|Twice/);
  assert.match(stripped, /return value \* 2;/);
});
