import assert from "node:assert/strict";
import { test } from "node:test";
import { readLayerTable } from "./layer-table.ts";
import { checkLayers } from "./layers.ts";

const table = readLayerTable(`
## Layers

| folder | may import |
| --- | --- |
| \`std\` | nothing |
| \`api\` | nothing |
| \`machinery\` | \`std\`, \`api\` |
| \`storage\` | \`std\` |
| \`apiserver\` | \`std\`, \`storage\` |
| \`kubelet\` | \`std\`, \`api\` |
| \`proxy\` | \`std\` |
| \`controllers\` | \`std\` |
| \`cluster\` | \`std\`, and \`run.ts\` of each |

| inside | from the lowest to the highest |
| --- | --- |
| \`kubelet\` | \`state\` ← \`pods\` |
| \`controllers\` | \`base\`, then \`*\` |
| \`proxy\` | \`base\`, \`.\`, \`rules\` |

## Other

| \`std\` | \`cluster\` |
| --- | --- |
| \`std\` | \`cluster\` |
`);

const allowed: readonly [string, string][] = [
  ["src/machinery/meta/labels.ts", "#/api/base/resource.ts"],
  ["src/machinery/meta/labels.ts", "./quantity.ts"],
  ["src/machinery/cel/parser.ts", "../quantity.ts"],
  ["src/machinery/uid.ts", "node:crypto"],
  ["src/machinery/meta/labels.test.ts", "node:fs"],
  ["src/machinery/x.test.ts", "#/testing/start-api-server.ts"],
  ["src/std/grpc/grpc.ts", "@grpc/grpc-js"],
  ["src/apiserver/registry/store.ts", "#/storage/base/storage.ts"],
  ["src/cluster/commands/up.ts", "#/kubelet/run.ts"],
  ["src/cluster/main.ts", "../../tools/test.ts"],
  ["src/testing/start-api-server.ts", "#/apiserver/run.ts"],
  ["src/tidy.test.ts", "../tools/tidy/layers.ts"],
  ["bin/kubelet.ts", "../src/kubelet/run.ts"],
  ["bin/k8ts.ts", "#/cluster/main.ts"],
  ["test/parity/x.test.ts", "#/apiserver/verbs/get.ts"],
  ["bench/codec.ts", "#/machinery/json.ts"],
  ["tools/generate.ts", "#/api/base/schema.ts"],
  ["src/kubelet/pods/work/x.ts", "../../state/y.ts"],
  ["src/kubelet/run.ts", "./pods/x.ts"],
  ["src/kubelet/pods/x.ts", "./y.ts"],
  ["src/kubelet/state/x.test.ts", "../pods/y.ts"],
  ["src/controllers/job/x.ts", "../base/y.ts"],
  ["src/proxy/rules/x.ts", "../y.ts"],
];

for (const [path, specifier] of allowed) {
  test(`checkLayers() lets ${path} import ${specifier}`, () => {
    assert.deepEqual(checkLayers([{ path, text: `import "${specifier}";` }], table), []);
  });
}

const forbidden: readonly [string, string, string][] = [
  [
    "src/std/x.ts",
    "#/api/base/resource.ts",
    "std may import nothing, not api: move what both need down",
  ],
  ["src/api/x.ts", "../std/clock.ts", "api may import nothing, not std: move what both need down"],
  [
    "src/proxy/x.ts",
    "#/storage/base/storage.ts",
    "proxy may import std, not storage: move what both need down",
  ],
  [
    "src/kubelet/x.test.ts",
    "#/proxy/rules.ts",
    "kubelet may import std, api, not proxy: move what both need down",
  ],
  [
    "src/cluster/commands/up.ts",
    "#/kubelet/cri.ts",
    "cluster may import std, run.ts, not kubelet: move what both need down",
  ],
  [
    "src/machinery/x.ts",
    "node:fs",
    "machinery does no I/O: take the value as an argument instead of importing node:fs",
  ],
  [
    "src/machinery/x.ts",
    "#/testing/x.ts",
    "src/testing is for tests: move what is needed out of it",
  ],
  ["src/std/x.ts", "../../tools/x.ts", "src may not import tools: move what is needed into src"],
  ["src/web/x.ts", "#/std/x.ts", "src/web is not in the layer table of ARCHITECTURE.md: add it"],
  [
    "src/kubelet/state/x.ts",
    "../pods/y.ts",
    "kubelet/pods is not below kubelet/state: move what both need down",
  ],
  [
    "src/kubelet/state/x.ts",
    "../y.ts",
    "the files directly in kubelet are not below kubelet/state: move what both need down",
  ],
  [
    "src/kubelet/other/x.ts",
    "../state/y.ts",
    "kubelet/other is not in the order of kubelet in ARCHITECTURE.md: add it",
  ],
  ["src/proxy/x.ts", "./rules/y.ts", "proxy/rules is not below proxy/.: move what both need down"],
  [
    "src/controllers/job/x.ts",
    "../deployment/y.ts",
    "controllers/deployment is not below controllers/job: move what both need down",
  ],
  [
    "bin/kubelet.ts",
    "#/kubelet/cri.ts",
    "bin may import std, cluster/main.ts and one run.ts, not src/kubelet/cri.ts",
  ],
];

for (const [path, specifier, message] of forbidden) {
  test(`checkLayers() forbids ${path} to import ${specifier}`, () => {
    const text = `\nexport { x } from "${specifier}";`;
    assert.deepEqual(checkLayers([{ path, text }], table), [{ path, line: 2, message }]);
  });
}

test("checkLayers() lets an executable run one component", () => {
  const text = 'import "#/kubelet/run.ts";\nimport "#/proxy/run.ts";';
  assert.deepEqual(checkLayers([{ path: "bin/x.ts", text }], table), [
    { path: "bin/x.ts", line: 2, message: "bin may import one run.ts: make another executable" },
  ]);
});

test("checkLayers() sees types and dynamic imports, and no strings or comments", () => {
  const path = "src/std/x.ts";
  const bad = 'import type { A } from "#/api/a.ts";\nconst b = await import(\n  "#/api/b.ts"\n);';
  assert.deepEqual(
    checkLayers([{ path, text: bad }], table).map(({ line }) => line),
    [1, 2],
  );
  const good = '// import "#/api/a.ts"\nconst text = \'import "#/api/a.ts"\';';
  assert.deepEqual(checkLayers([{ path, text: good }], table), []);
});
