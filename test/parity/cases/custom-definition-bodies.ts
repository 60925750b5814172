import type { Case } from "../case.ts";
import { create } from "./steps.ts";

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export type Json = Record<string, unknown>;

export const text = { type: "string" };

export const object = (properties: Json, more: Json = {}): Json => ({
  type: "object",
  properties,
  ...more,
});

export const schemaOf = (spec: Json, more: Json = {}): Json => ({
  openAPIV3Schema: object({ spec }, more),
});

export const version = (more: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: schemaOf(object({ a: text })),
  ...more,
});

export const names = { plural: "things", kind: "Thing" };

export const crd = (spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.{ns}.example.com", ...metadata },
  spec: { group: "{ns}.example.com", scope: "Namespaced", names, versions: [version()], ...spec },
});

/** Nothing is stored, so cases have no effect on each other. */
export const tried = (name: string, body: Json): Case => ({
  name,
  steps: [create(crds, body, { query: "dryRun=All" })],
});
