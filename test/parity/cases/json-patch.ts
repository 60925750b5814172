import type { Area, Case } from "../case.ts";
import { configMaps, create, deployments, jsonPatch } from "./steps.ts";

const map = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "m",
    labels: { a: "1", "x/y": "2" },
    finalizers: ["x.io/a", "x.io/b", "x.io/c"],
  },
  data: { one: "1", two: "2" },
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: {
        containers: [
          { name: "a", image: "a:1" },
          { name: "b", image: "b:1" },
        ],
      },
    },
  },
};

const onMap = (name: string, patch: unknown, query?: string): Case => ({
  name: `configmap ${name}`,
  steps: [create(configMaps, map), jsonPatch(`${configMaps}/m`, patch, query ? { query } : {})],
});

const onDeployment = (name: string, patch: unknown): Case => ({
  name: `deployment ${name}`,
  steps: [create(deployments, deployment), jsonPatch(`${deployments}/d`, patch)],
});

const accepted: readonly [string, unknown][] = [
  ["add key", [{ op: "add", path: "/data/three", value: "3" }]],
  ["add over a key", [{ op: "add", path: "/data/one", value: "x" }]],
  ["add null", [{ op: "add", path: "/data/one", value: null }]],
  ["add without value", [{ op: "add", path: "/data/one" }]],
  ["add escaped keys", [{ op: "add", path: "/metadata/labels/p~1q", value: "1" }]],
  ["replace escaped key", [{ op: "replace", path: "/metadata/labels/x~1y", value: "9" }]],
  ["add at the end", [{ op: "add", path: "/metadata/finalizers/-", value: "x.io/d" }]],
  ["add at the front", [{ op: "add", path: "/metadata/finalizers/0", value: "x.io/d" }]],
  ["add at the length", [{ op: "add", path: "/metadata/finalizers/3", value: "x.io/d" }]],
  ["add at minus one", [{ op: "add", path: "/metadata/finalizers/-1", value: "x.io/d" }]],
  ["add at minus four", [{ op: "add", path: "/metadata/finalizers/-4", value: "x.io/d" }]],
  [
    "add map then key",
    [
      { op: "add", path: "/metadata/annotations", value: {} },
      { op: "add", path: "/metadata/annotations/k", value: "v" },
    ],
  ],
  ["remove key", [{ op: "remove", path: "/data/one" }]],
  ["remove item", [{ op: "remove", path: "/metadata/finalizers/1" }]],
  ["remove last item", [{ op: "remove", path: "/metadata/finalizers/-1" }]],
  ["remove parent", [{ op: "remove", path: "/data" }]],
  ["replace", [{ op: "replace", path: "/data/one", value: "x" }]],
  ["replace missing key", [{ op: "replace", path: "/data/nine", value: "x" }]],
  ["replace item", [{ op: "replace", path: "/metadata/finalizers/0", value: "x.io/z" }]],
  ["replace negative item", [{ op: "replace", path: "/metadata/finalizers/-1", value: "x.io/z" }]],
  ["move", [{ op: "move", from: "/data/one", path: "/data/moved" }]],
  ["move item", [{ op: "move", from: "/metadata/finalizers/0", path: "/metadata/finalizers/2" }]],
  ["copy", [{ op: "copy", from: "/data/one", path: "/data/copied" }]],
  ["copy missing key", [{ op: "copy", from: "/data/nine", path: "/data/copied" }]],
  ["copy map", [{ op: "copy", from: "/metadata/labels", path: "/metadata/annotations" }]],
  [
    "test and replace",
    [
      { op: "test", path: "/data/one", value: "1" },
      { op: "replace", path: "/data/one", value: "2" },
    ],
  ],
  ["test map", [{ op: "test", path: "/data", value: { two: "2", one: "1" } }]],
  [
    "test list",
    [{ op: "test", path: "/metadata/finalizers", value: ["x.io/a", "x.io/b", "x.io/c"] }],
  ],
  ["test missing is null", [{ op: "test", path: "/data/nine", value: null }]],
  ["test missing without value", [{ op: "test", path: "/data/nine" }]],
  ["nothing", []],
  ["path without slash", [{ op: "add", path: "data/three", value: "3" }]],
];

const refused: readonly [string, unknown][] = [
  ["add to missing parent", [{ op: "add", path: "/metadata/annotations/k", value: "v" }]],
  ["add to scalar", [{ op: "add", path: "/data/one/x", value: "v" }]],
  ["add out of range", [{ op: "add", path: "/metadata/finalizers/4", value: "x.io/d" }]],
  ["add far negative", [{ op: "add", path: "/metadata/finalizers/-5", value: "x.io/d" }]],
  ["add bad index", [{ op: "add", path: "/metadata/finalizers/x", value: "x.io/d" }]],
  ["add at root", [{ op: "add", path: "", value: {} }]],
  ["remove missing", [{ op: "remove", path: "/data/nine" }]],
  ["remove out of range", [{ op: "remove", path: "/metadata/finalizers/3" }]],
  ["remove dash", [{ op: "remove", path: "/metadata/finalizers/-" }]],
  ["replace out of range", [{ op: "replace", path: "/metadata/finalizers/3", value: "x" }]],
  ["replace root by list", [{ op: "replace", path: "", value: [] }]],
  ["replace root by scalar", [{ op: "replace", path: "", value: 1 }]],
  ["move missing", [{ op: "move", from: "/data/nine", path: "/data/x" }]],
  ["move without from", [{ op: "move", path: "/data/x" }]],
  ["copy from missing parent", [{ op: "copy", from: "/nine/x", path: "/data/x" }]],
  ["copy without from", [{ op: "copy", path: "/data/x" }]],
  ["test fails", [{ op: "test", path: "/data/one", value: "2" }]],
  ["test fails on type", [{ op: "test", path: "/data/one", value: 1 }]],
  [
    "test fails on list order",
    [{ op: "test", path: "/metadata/finalizers", value: ["x.io/b", "x.io/a", "x.io/c"] }],
  ],
  ["test missing fails", [{ op: "test", path: "/data/nine", value: "x" }]],
  ["test missing parent", [{ op: "test", path: "/nine/x", value: "x" }]],
  ["unknown op", [{ op: "merge", path: "/data/one", value: "2" }]],
  ["no op", [{ path: "/data/one", value: "2" }]],
  ["no path", [{ op: "add", value: "2" }]],
  ["wrong type in result", [{ op: "add", path: "/data", value: 3 }]],
  ["unknown field in operation", [{ op: "add", path: "/data/three", value: "3", extra: 1 }]],
  ["not a list", { op: "add", path: "/data/three", value: "3" }],
  ["list of scalars", [1, 2]],
  ["path is a number", [{ op: "add", path: 1, value: "3" }]],
  ["null", null],
  ["not JSON", "{"],
  ["undefined escape", [{ op: "test", path: "/data/o~2", value: "1" }]],
  ["renames", [{ op: "replace", path: "/metadata/name", value: "other" }]],
  [
    "stops at the first failure",
    [
      { op: "add", path: "/data/three", value: "3" },
      { op: "remove", path: "/data/nine" },
    ],
  ],
];

/** JSON Patch on built-in kinds. */
export const jsonPatches: Area = {
  name: "json-patch",
  cases: [
    ...accepted.map(([name, patch]) => onMap(name, patch)),
    ...refused.map(([name, patch]) => onMap(name, patch)),
    ...refused
      .slice(-8)
      .map(([name, patch]) => onMap(`strict ${name}`, patch, "fieldValidation=Strict")),
    ...refused
      .slice(-8)
      .map(([name, patch]) => onMap(`ignore ${name}`, patch, "fieldValidation=Ignore")),
    onMap(
      "too many operations",
      Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/one", value: "1" })),
    ),
    onMap("copies grow too big", [
      { op: "add", path: "/data/big", value: "x".repeat(400_000) },
      ...Array.from({ length: 8 }, (_, index) => ({
        op: "copy",
        from: "/data/big",
        path: `/data/b${index}`,
      })),
    ]),
    onDeployment("scale", [{ op: "replace", path: "/spec/replicas", value: 5 }]),
    onDeployment("test and image", [
      { op: "test", path: "/spec/template/spec/containers/0/name", value: "a" },
      { op: "replace", path: "/spec/template/spec/containers/0/image", value: "a:2" },
    ]),
    onDeployment("remove container", [{ op: "remove", path: "/spec/template/spec/containers/1" }]),
    onDeployment("insert container", [
      { op: "add", path: "/spec/template/spec/containers/1", value: { name: "n", image: "n:1" } },
    ]),
    onDeployment("copy container", [
      {
        op: "copy",
        from: "/spec/template/spec/containers/0",
        path: "/spec/template/spec/containers/-",
      },
      { op: "replace", path: "/spec/template/spec/containers/2/name", value: "c" },
    ]),
  ],
};
