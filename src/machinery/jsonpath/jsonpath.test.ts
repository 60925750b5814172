import assert from "node:assert/strict";
import { test } from "node:test";
import { executeTemplate, findAll } from "./evaluate-jsonpath.ts";
import { JsonPathError } from "./jsonpath-node.ts";
import { parsePath, parseTemplate } from "./parse-jsonpath.ts";

const object = {
  metadata: { name: "web", labels: { "app.kubernetes.io/name": "x" } },
  spec: { replicas: 3, list: [{ a: 1, n: "one" }, { a: 2 }, { a: 3, n: "three" }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Busy", status: "False" },
    ],
  },
};

const found: [path: string, results: unknown[]][] = [
  [".spec.replicas", [3]],
  [".metadata.labels.app\\.kubernetes\\.io/name", ["x"]],
  [".metadata.labels['app\\.kubernetes\\.io/name']", ["x"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  ['.status.conditions[?(@.type != "Ready")].type', ["Busy"]],
  [".spec.list[0].a", [1]],
  [".spec.list[-1].a", [3]],
  [".spec.list[0:2].a", [1, 2]],
  [".spec.list[::2].a", [1, 3]],
  [".spec.list[*].a", [1, 2, 3]],
  [".spec.list[?(@.n)].a", [1, 3]],
  [".spec.list[?(@.a>=2)].a", [2, 3]],
  [".spec.list[0,2].a", [1, 3]],
  ["..n", ["one", "three"]],
  [".spec.list[3:3].a", []],
  [".metadata.missing", []],
];
for (const [path, results] of found) {
  test(`findAll() finds ${path}`, () => {
    assert.deepEqual(findAll(parsePath(path), object, { allowMissing: true }), results);
  });
}

test("findAll() reports a missing field unless missing fields are allowed", () => {
  const find = () => findAll(parsePath(".spec.none"), object, { allowMissing: false });
  assert.throws(find, new JsonPathError("none is not found"));
});

for (const path of [".a[", ".a[?(@.b==1]", ".a['x", "{.a"]) {
  test(`parseTemplate() and parsePath() refuse ${path}`, () => {
    const parse = () => (path.startsWith("{") ? parseTemplate(path) : parsePath(path));
    assert.throws(parse, JsonPathError);
  });
}

for (const [name, template] of [
  ["ranges without an end, which double the work", "{range .metadata}".repeat(60)],
  ["ranges that are nested too deeply", "{range @}".repeat(20_000)],
] as const) {
  test(`executeTemplate() refuses ${name}`, () => {
    const execute = () => executeTemplate(parseTemplate(template), object, { allowMissing: true });
    assert.throws(execute, JsonPathError);
  });
}
