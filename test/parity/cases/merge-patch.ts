import type { Area, Case } from "../case.ts";
import { configMaps, create, deployments, merge, widgets } from "./steps.ts";
import { widgetFixtures, widgetPaths } from "./widget.ts";

const map = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m", labels: { a: "1", b: "2" }, finalizers: ["x.io/a", "x.io/b"] },
  data: { one: "1", two: "2" },
};
const widget = {
  apiVersion: "parity.example.com/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec: {
    text: "t",
    granular: { a: "1", b: "2" },
    atomicList: ["x", "y"],
    mapList: [
      { name: "a", value: 1 },
      { name: "b", value: 2 },
    ],
    any: { deep: { x: 1, y: [1, { z: 2 }], n: { m: 1 } } },
  },
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
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
  steps: [create(configMaps, map), merge(`${configMaps}/m`, patch, query ? { query } : {})],
});
const onWidget = (name: string, patch: unknown): Case => ({
  name: `widget ${name}`,
  steps: [create(widgets, widget), merge(`${widgets}/w`, patch)],
});
const onDeployment = (name: string, patch: unknown): Case => ({
  name: `deployment ${name}`,
  steps: [create(deployments, deployment), merge(`${deployments}/d`, patch)],
});

/** JSON Merge Patch on built-in and custom kinds. */
export const mergePatches: Area = {
  name: "merge-patch",
  fixtures: widgetFixtures,
  ready: widgetPaths,
  cases: [
    onMap("add", { data: { three: "3" } }),
    onMap("change", { data: { one: "x" } }),
    onMap("remove", { data: { one: null } }),
    onMap("remove missing", { data: { nine: null } }),
    onMap("remove map", { data: null }),
    onMap("replace list", { metadata: { finalizers: ["x.io/z"] } }),
    onMap("remove list", { metadata: { finalizers: null } }),
    onMap("empty", {}),
    onMap("empty map", { data: {} }),
    onMap("new map with nulls", { metadata: { annotations: { a: "1", b: null } } }),
    onMap("no change", { data: { one: "1" } }),
    onMap("map by list", { data: [] }),
    onMap("map by scalar", { data: 1 }),
    onMap("value by number", { data: { one: 1 } }),
    onMap("unknown field", { nine: 1 }),
    onMap("unknown field strict", { nine: 1 }, "fieldValidation=Strict"),
    onMap("unknown field ignored", { nine: 1 }, "fieldValidation=Ignore"),
    onMap("duplicate field", '{"data":{"one":"a","one":"b"}}'),
    onMap("duplicate field strict", '{"data":{"one":"a","one":"b"}}', "fieldValidation=Strict"),
    onMap("null patch", "null"),
    onMap("list patch", "[]"),
    onMap("scalar patch", "1"),
    onMap("string patch", '"x"'),
    onMap("not JSON", "{"),
    onMap("list patch ignored", "[]", "fieldValidation=Ignore"),
    onMap("scalar patch ignored", "1", "fieldValidation=Ignore"),
    onMap("null patch ignored", "null", "fieldValidation=Ignore"),
    onMap("rename", { metadata: { name: "other" } }),
    onMap("proto key", '{"data":{"__proto__":"p","constructor":"c"}}'),
    onWidget("deep change", { spec: { any: { deep: { x: 2 } } } }),
    onWidget("deep removal", { spec: { any: { deep: { n: { m: null } } } } }),
    onWidget("list by list", { spec: { any: { deep: { y: [{ a: null, b: 1 }] } } } }),
    onWidget("new list with nulls", {
      spec: { any: { fresh: [{ a: null, b: 1 }, null, [null]] } },
    }),
    onWidget("scalar by map", { spec: { any: { deep: { x: { a: null, b: { c: null } } } } } }),
    onWidget("map by scalar", { spec: { any: { deep: 1 } } }),
    onWidget("map list is replaced", { spec: { mapList: [{ name: "b", value: 3 }] } }),
    onWidget("null on nullable", { spec: { nullable: null } }),
    onWidget("proto key", '{"spec":{"any":{"__proto__":{"a":1},"constructor":{"b":2}}}}'),
    onDeployment("containers are replaced", {
      spec: { template: { spec: { containers: [{ name: "b", image: "b:2" }] } } },
    }),
    onDeployment("replicas", { spec: { replicas: 3 } }),
    onDeployment("strategy", { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }),
  ],
};
