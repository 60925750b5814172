import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGoLiteral } from "./parse-go-literal.ts";

const cases: readonly [source: string, expected: unknown][] = [
  ['"a \\"b\\"\\n"', 'a "b"\n'],
  ["-12", -12],
  ["true", true],
  ["corev1.Constant", { constant: "corev1.Constant" }],
  ['[]string{"a", "b"}', ["a", "b"]],
  ['[]interface{}{\n\t"a",\n}', ["a"]],
  ["map[string]interface{}{}", { entries: new Map() }],
  [
    'map[string]spec.Schema{"a": {Type: 1},}',
    { entries: new Map([["a", { entries: new Map([["Type", 1]]) }]]) },
  ],
  ["&spec.Schema{Allows: true}", { entries: new Map([["Allows", true]]) }],
  [
    "ref(corev1.Pod{}.OpenAPIModelName())",
    { call: "ref", arguments: [{ call: "corev1.Pod{}.OpenAPIModelName", arguments: [] }] },
  ],
];

for (const [source, expected] of cases) {
  test(`parseGoLiteral() reads ${source}`, () => {
    assert.deepEqual(parseGoLiteral(`return ${source}`, "return ".length), expected);
  });
}

test("parseGoLiteral() refuses an expression that is not a literal", () => {
  assert.throws(
    () => parseGoLiteral("spec.Schema{1 + 2}", 0),
    /expected ":" in Go source, found "\+"/,
  );
});
