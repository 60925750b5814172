import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLayers } from "./layers.ts";

const allowed: readonly [string, string][] = [
  ["src/machinery/labels.ts", "#/api/resource.ts"],
  ["src/machinery/labels.ts", "./quantity.ts"],
  ["src/machinery/cel/parser.ts", "../quantity.ts"],
  ["src/machinery/uid.ts", "node:crypto"],
  ["src/machinery/labels.test.ts", "node:fs"],
  ["src/machinery/x.test.ts", "#/testing/start-api-server.ts"],
  ["src/std/grpc.ts", "@grpc/grpc-js"],
  ["src/apiserver/registry/store.ts", "#/storage/storage.ts"],
  ["src/cluster/up.ts", "#/kubelet/run.ts"],
  ["src/cluster/main.ts", "../../tools/test.ts"],
  ["src/testing/start-api-server.ts", "#/apiserver/run.ts"],
  ["src/tidy.test.ts", "../tools/tidy/layers.ts"],
  ["bin/kubelet.ts", "../src/kubelet/run.ts"],
  ["bin/k8ts.ts", "#/cluster/main.ts"],
  ["test/parity/x.test.ts", "#/apiserver/verbs/get.ts"],
  ["bench/codec.ts", "#/machinery/json.ts"],
  ["tools/generate.ts", "#/api/schema.ts"],
];

for (const [path, specifier] of allowed) {
  test(`checkLayers() lets ${path} import ${specifier}`, () => {
    assert.deepEqual(checkLayers([{ path, text: `import "${specifier}";` }]), []);
  });
}

const forbidden: readonly [string, string, string][] = [
  [
    "src/std/x.ts",
    "#/api/resource.ts",
    "std may import nothing, not api: move what both need down",
  ],
  ["src/api/x.ts", "../std/clock.ts", "api may import nothing, not std: move what both need down"],
  [
    "src/scheduler/x.ts",
    "#/storage/storage.ts",
    "scheduler may import std, api, machinery, client, not storage: move what both need down",
  ],
  [
    "src/kubelet/x.test.ts",
    "#/proxy/rules.ts",
    "kubelet may import std, api, machinery, client, not proxy: move what both need down",
  ],
  [
    "src/cluster/up.ts",
    "#/kubelet/cri.ts",
    "cluster may import std, each component's run.ts, not kubelet: move what both need down",
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
  [
    "src/web/x.ts",
    "#/std/x.ts",
    "src/web is not in the layer table of tools/tidy/layers.ts: add it",
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
    assert.deepEqual(checkLayers([{ path, text }]), [{ path, line: 2, message }]);
  });
}

test("checkLayers() lets an executable run one component", () => {
  const text = 'import "#/kubelet/run.ts";\nimport "#/proxy/run.ts";';
  assert.deepEqual(checkLayers([{ path: "bin/x.ts", text }]), [
    { path: "bin/x.ts", line: 2, message: "bin may import one run.ts: make another executable" },
  ]);
});

test("checkLayers() sees types and dynamic imports, and no strings or comments", () => {
  const path = "src/std/x.ts";
  const bad = 'import type { A } from "#/api/a.ts";\nconst b = await import(\n  "#/api/b.ts"\n);';
  assert.deepEqual(
    checkLayers([{ path, text: bad }]).map(({ line }) => line),
    [1, 2],
  );
  const good = '// import "#/api/a.ts"\nconst text = \'import "#/api/a.ts"\';';
  assert.deepEqual(checkLayers([{ path, text: good }]), []);
});
