/**
 * Cases: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply_test.go,
 * staging/src/k8s.io/apimachinery/pkg/util/strategicpatch.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { configMaps } from "#/api/core/v1.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import { computePatch } from "./patch-object.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const custom: Resource = {
  group: "example.com",
  version: "v1",
  name: "widgets",
  kind: "Widget",
  namespaced: true,
} as Resource;

const mappingOf = (resource: Resource): Mapping => resource as Mapping;

/** An object on the server, with the last applied configuration. */
function live(object: object, applied: object | undefined): Unstructured {
  const { metadata = {}, ...rest } = object as { metadata?: object };
  const annotations = applied ? { [lastApplied]: JSON.stringify(applied) } : {};
  return { ...rest, metadata: { name: "a", ...metadata, annotations } } as Unstructured;
}

const configMap = (data: object): Unstructured =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data }) as Unstructured;
const widget = (spec: object): Unstructured =>
  ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec }) as Unstructured;
const deployment = (containers: readonly object[]): Unstructured =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a" },
    spec: { template: { spec: { containers } } },
  }) as unknown as Unstructured;

const cases: readonly {
  readonly name: string;
  readonly resource: Resource;
  readonly applied?: Unstructured;
  readonly current: Unstructured;
  readonly modified: Unstructured;
  readonly type: "strategic" | "merge";
  readonly patch: object;
}[] = [
  {
    name: "sets new and changed fields",
    resource: configMaps,
    applied: configMap({ a: "1", b: "1" }),
    current: configMap({ a: "1", b: "1" }),
    modified: configMap({ a: "1", b: "2", c: "3" }),
    type: "strategic",
    patch: { data: { b: "2", c: "3" } },
  },
  {
    name: "removes applied fields that are no longer desired",
    resource: configMaps,
    applied: configMap({ a: "1", b: "1" }),
    current: configMap({ a: "1", b: "1" }),
    modified: configMap({ a: "1" }),
    type: "strategic",
    patch: { data: { b: null } },
  },
  {
    name: "keeps fields that others have set",
    resource: configMaps,
    applied: configMap({ a: "1" }),
    current: configMap({ a: "1", theirs: "9" }),
    modified: configMap({ a: "1" }),
    type: "strategic",
    patch: {},
  },
  {
    name: "merges containers by name",
    resource: deployments,
    applied: deployment([{ name: "x", image: "x:1" }]),
    current: deployment([
      { name: "x", image: "x:1" },
      { name: "sidecar", image: "s:1" },
    ]),
    modified: deployment([{ name: "x", image: "x:2" }]),
    type: "strategic",
    patch: {
      spec: {
        template: {
          spec: {
            $setElementOrder: undefined,
            containers: [{ name: "x", image: "x:2" }],
          },
        },
      },
    },
  },
  {
    name: "replaces lists of a custom resource",
    resource: custom,
    applied: widget({ sizes: [1, 2], color: "red" }),
    current: widget({ sizes: [1, 2], color: "red" }),
    modified: widget({ sizes: [3] }),
    type: "merge",
    patch: { spec: { sizes: [3], color: null } },
  },
];

/** A patch without the annotation of each apply, and without the order of list elements. */
function essential(patch: Record<string, unknown>): unknown {
  const { metadata: _, ...rest } = patch;
  return JSON.parse(
    JSON.stringify(rest, (key, value: unknown) =>
      key.startsWith("$setElementOrder/") ? undefined : value,
    ),
  );
}

for (const { name, resource, applied, current, modified, type, patch } of cases) {
  test(`computePatch() ${name}`, () => {
    const documents = { current: live(current, applied), modified };
    const found = computePatch(mappingOf(resource), documents, true);
    assert.equal(found.type, type);
    assert.deepEqual(essential(found.patch), JSON.parse(JSON.stringify(patch)));
  });
}

test("computePatch() refuses another kind of a custom resource", () => {
  const current = live(widget({}), widget({}));
  const modified = { ...widget({}), kind: "Gadget" };
  assert.throws(() => computePatch(mappingOf(custom), { current, modified }, true), {
    message: "At least one of apiVersion, kind and name was changed",
  });
});
