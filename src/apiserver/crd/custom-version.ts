import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/resource.ts";
import type { StructSchema } from "#/api/schema.ts";
import { toApiSchema } from "#/machinery/structural/api-schema.ts";
import { applyDefaults } from "#/machinery/structural/defaults.ts";
import {
  buildStructuralSchema,
  type StructuralSchema,
} from "#/machinery/structural/structural-schema.ts";
import { compileValidator, type Validator } from "#/machinery/structural/validator.ts";
import type { ApiObject } from "../registry/strategy.ts";

/** One version of a custom resource, compiled from its CRD. */
export interface CustomVersion {
  readonly handle: Resource;
  readonly spec: CustomResourceDefinitionVersion;
  readonly structural: StructuralSchema;
  readonly schema: StructSchema;
  readonly validator: Validator;
  setDefaults(object: ApiObject): void;
}

const allVerbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
const partVerbs = ["get", "patch", "update"];

/** Everything a schema without a type allows. */
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** Compiles a version. */
export function compileVersion(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): CustomVersion {
  const structural = buildStructuralSchema(version.schema?.openAPIV3Schema ?? anything);
  return {
    handle: handleOf(crd, version),
    spec: version,
    structural,
    schema: toApiSchema(structural),
    validator: compileValidator(structural),
    setDefaults: (object) => applyDefaults(object, structural),
  };
}

function handleOf(
  { spec, status }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): Resource {
  const { group, scope } = spec;
  const names = status?.acceptedNames.plural ? status.acceptedNames : spec.names;
  const own = { group, version: version.name, kind: names.kind, verbs: partVerbs };
  const scale = {
    name: "scale",
    group: "autoscaling",
    version: "v1",
    kind: "Scale",
    verbs: partVerbs,
  };
  return {
    group,
    version: version.name,
    kind: names.kind,
    name: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced: scope === "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: allVerbs,
    subresources: [
      ...(version.subresources?.scale ? [scale] : []),
      ...(version.subresources?.status ? [{ name: "status", ...own }] : []),
    ],
  };
}
