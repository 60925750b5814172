import assert from "node:assert/strict";
import { test } from "node:test";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { formatType } from "../type/cel-type.ts";
import { declareKind } from "./api-schema.ts";
import type { DeclType } from "./decl-type.ts";

function declare(group: string, version: string, kind: string): DeclType {
  const schema = findSchema(group, version, kind);
  const decl = schema && declareKind(schema, kind);
  assert.ok(decl);
  return decl;
}

/** The type at a path, where [] is an element. */
function typeAt(decl: DeclType, path: string): string | undefined {
  let at: DeclType | undefined = decl;
  for (const step of path.split(".")) at = step === "[]" ? at?.element : at?.fields?.get(step);
  return at && formatType(at.type);
}

const types: readonly (readonly [string, string | undefined])[] = [
  ["spec.replicas", "int"],
  ["spec.paused", "bool"],
  ["spec.template.spec.containers.[].name", "string"],
  ["spec.template.spec.containers", "list(Deployment.spec.template.spec.containers.@idx)"],
  ["spec.template.metadata.labels", "map(string, string)"],
  ["spec.strategy.rollingUpdate.maxSurge", "dyn"],
  ["metadata.creationTimestamp", "timestamp"],
  ["metadata.managedFields.[].fieldsV1", "Deployment.metadata.managedFields.@idx.fieldsV1"],
  ["spec.template.spec.containers.[].resources.limits", undefined],
  ["spec.nothing", undefined],
];

test("declareKind() gives the fields of a kind the types they have in OpenAPI", () => {
  const deployment = declare("apps", "v1", "Deployment");
  for (const [path, want] of types) assert.equal(typeAt(deployment, path), want, path);
});

test("declareKind() gives bytes their own type", () => {
  assert.equal(typeAt(declare("", "v1", "Secret"), "data.[]"), "bytes");
});

test("declareKind() stops at recursive definitions", () => {
  const definition = declare("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
  const schema = "spec.versions.[].schema.openAPIV3Schema";
  assert.equal(typeAt(definition, `${schema}.type`), "string");
  assert.equal(typeAt(definition, `${schema}.properties.[].type`), undefined);
  assert.equal(typeAt(definition, `${schema}.items`), undefined);
});
