import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "#/api/apps/v1.ts";
import type { Schema, StructSchema } from "#/api/base/schema.ts";
import { groupVersions } from "#/api/group-versions.ts";
import { resources } from "#/api/index.ts";
import { readVectors } from "#/testing/vectors.ts";
import { findSchema, kindsOf, schemaOf } from "./kinds.ts";

const cases = [
  { group: "", version: "v1", kind: "Pod", name: "io.k8s.api.core.v1.Pod" },
  {
    group: "apps",
    version: "v1",
    kind: "DeploymentList",
    name: "io.k8s.api.apps.v1.DeploymentList",
  },
  {
    group: "apps",
    version: "v1",
    kind: "DeleteOptions",
    name: "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  },
  { group: "", version: "v1", kind: "Status", name: "io.k8s.apimachinery.pkg.apis.meta.v1.Status" },
  { group: "apps", version: "v1", kind: "Status", name: undefined },
  {
    group: "meta.k8s.io",
    version: "v1beta1",
    kind: "Table",
    name: "io.k8s.apimachinery.pkg.apis.meta.v1.Table",
  },
  { group: "", version: "v1", kind: "PodSpec", name: undefined },
  { group: "", version: "v1", kind: "constructor", name: undefined },
  { group: "apps", version: "v9", kind: "Deployment", name: undefined },
];

for (const { group, version, kind, name } of cases) {
  test(`findSchema() of ${kind} in ${group}/${version} is ${name}`, () => {
    assert.equal(findSchema(group, version, kind)?.name, name);
  });
}

test("findSchema() finds every kind that kindsOf() lists", () => {
  for (const { group, version } of groupVersions) {
    for (const kind of kindsOf(group, version)) {
      assert.ok(findSchema(group, version, kind), `${group}/${version} ${kind}`);
    }
  }
});

test("kindsOf() lists a group version's own kinds, their lists, and those of metav1", () => {
  assert.deepEqual(kindsOf("scheduling.k8s.io", "v1"), [
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "PriorityClass",
    "PriorityClassList",
    "UpdateOptions",
    "WatchEvent",
  ]);
});

test("schemaOf() has a schema for every resource, its list and its subresources", () => {
  for (const resource of resources) {
    assert.equal(schemaOf(resource).type, "struct");
    if (resource.verbs.includes("list")) {
      assert.ok(
        findSchema(resource.group, resource.version, `${resource.kind}List`),
        resource.kind,
      );
    }
    for (const { group, version, kind } of resource.subresources)
      assert.ok(findSchema(group, version, kind), kind);
  }
});

test("schemaOf() gives the same value every time", () => {
  assert.equal(schemaOf(deployments), schemaOf(deployments));
});

test("the vectors have the fields of the schemas, all of them, in the same order", () => {
  const seen = new Map<StructSchema, Set<string>>();
  for (const { group, version, kind, json } of readVectors()) {
    const schema = findSchema(group, version, kind);
    assert.ok(schema, `${group}/${version} ${kind}`);
    visit(JSON.parse(json), schema, kind, seen);
  }
  const missing = [...seen].flatMap(([{ name, fields }, found]) =>
    [...fields.keys()].filter((field) => !found.has(field)).map((field) => `${name}.${field}`),
  );
  // Upstream's vectors end at recursive types.
  assert.deepEqual(missing.sort(), [
    "io.k8s.api.scheduling.v1alpha3.CompositePodGroupTemplate.compositePodGroupTemplates",
    "io.k8s.api.scheduling.v1beta1.CompositePodGroupTemplate.compositePodGroupTemplates",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps.not",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps.not",
  ]);
});

/** Checks that a value has only the fields of its schema, and records them for each struct. */
function visit(
  value: unknown,
  schema: Schema,
  path: string,
  seen: Map<StructSchema, Set<string>>,
): void {
  if (schema.type === "list") {
    assert.ok(Array.isArray(value), path);
    for (const item of value) visit(item, schema.items, `${path}[]`, seen);
  } else if (schema.type === "map") {
    for (const item of Object.values(value as object))
      visit(item, schema.values, `${path}{}`, seen);
  } else if (schema.type === "struct") {
    const object = value as Record<string, unknown>;
    const names = [...schema.fields.keys()].filter((name) => Object.hasOwn(object, name));
    assert.deepEqual(Object.keys(object), names, path);
    const found = seen.get(schema) ?? new Set();
    seen.set(schema, found);
    for (const [name, field] of schema.fields) {
      if (!Object.hasOwn(object, name)) continue;
      found.add(name);
      visit(object[name], field.schema, `${path}.${name}`, seen);
    }
  }
}
