import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import { type RuleValidator, ruleValidator } from "#/machinery/cel/rules/rule-validator.ts";
import type { JsonSchema } from "#/machinery/cel/schema/json-schema.ts";
import { toApiSchema } from "#/machinery/structural/api-schema.ts";
import { dropNulls, fillDefaults } from "#/machinery/structural/defaults.ts";
import { pruneDefaults } from "#/machinery/structural/prune-defaults.ts";
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
  /** For the status only; undefined if the schema has none. */
  readonly statusValidator: Validator | undefined;
  /** The CEL rules, if there are any. */
  readonly rules: RuleValidator | undefined;
  /** Drops nulls that are not allowed and have no default. */
  coerce(object: ApiObject): void;
  setDefaults(object: ApiObject): void;
}

/** In the order in which upstream lists them. */
const allVerbs = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];
const partVerbs = ["get", "patch", "update"];

/** The schema for a version without one: everything is allowed. */
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** Compiles a version. */
export function compileVersion(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): CustomVersion {
  const source = version.schema?.openAPIV3Schema ?? anything;
  const built = buildStructuralSchema(source);
  const structural = crd.spec.preserveUnknownFields ? built : pruneDefaults(built);
  const status = structural.properties.get("status");
  // Compiled on the first write of an object: most definitions are only read.
  const validators = once(() => compileValidator(structural));
  const statusValidators = once(() => status && compileValidator(status));
  const rules = once(() => ruleValidator(source as JsonSchema));
  return {
    handle: handleOf(crd, version),
    spec: version,
    structural,
    schema: toApiSchema(structural),
    get validator() {
      return validators();
    },
    get statusValidator() {
      return statusValidators();
    },
    get rules() {
      return rules();
    },
    coerce: (object) => dropNulls(object, structural),
    setDefaults: (object) => fillDefaults(object, structural),
  };
}

/** A function that runs once and caches its result. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
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
      ...(version.subresources?.status ? [{ name: "status", ...own }] : []),
      ...(version.subresources?.scale ? [scale] : []),
    ],
  };
}
