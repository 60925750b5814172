import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  JSONSchemaProps,
} from "#/api/apiextensions/v1.ts";
import { type FieldError, invalid, notSupported, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1035Label, isDNS1123Subdomain, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage, validateObjectMeta } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import type { Steps } from "#/std/base/steps.ts";
import { validateApproval } from "./api-approval.ts";
import { isTrue } from "./condition.ts";
import { type DefinitionRules, newRules, updateRules } from "./definition-rules.ts";
import { type HubSpec, type HubVersion, hubSpec, subresourcesOf } from "./hub-spec.ts";
import { someSchema } from "./schema-traits.ts";
import { shownVersions } from "./shown-spec.ts";
import { validateConversion } from "./validate-conversion.ts";
import { requireNames, validateNames } from "./validate-names.ts";
import { validateValidation } from "./validate-validation.ts";
import {
  deprecationProblems,
  validateColumn,
  validateSelectableFields,
  validateSubresources,
} from "./validate-version-parts.ts";

const metadataPath = fieldPath("metadata");
const specPath = fieldPath("spec");
const statusPath = fieldPath("status");

/**
 * Validation errors of a new CRD.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
export function* validateDefinition(crd: CustomResourceDefinition): Steps<FieldError[]> {
  const { names, group } = crd.spec;
  const name = (text: string, prefix: boolean) => {
    const problems = nameIsDNSSubdomain(text, prefix);
    if (text === `${names.plural ?? ""}.${group ?? ""}`) return problems;
    return [...problems, 'must be spec.names.plural+"."+spec.group'];
  };
  return [
    ...validateObjectMeta(crd.metadata, { namespaced: false, name }, metadataPath),
    ...(yield* validateSpec(crd.spec, newRules)),
    ...validateRest(crd, undefined),
  ];
}

/** Validation errors of an update of a CRD. */
export function* validateDefinitionUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
): Steps<FieldError[]> {
  const errors = yield* validateSpec(crd.spec, updateRules(crd, old));
  const unchanged = (value: unknown, before: unknown, ...path: readonly string[]): void => {
    if (deepEqual(value, before)) return;
    const at = path.reduce((parent, name) => parent.child(name), specPath);
    errors.push(invalid(at, value, immutableMessage));
  };
  if (isTrue(old, "Established")) {
    unchanged(crd.spec.scope, old.spec.scope, "scope");
    unchanged(crd.spec.names.kind, old.spec.names.kind, "names", "kind");
  }
  unchanged(crd.spec.group, old.spec.group, "group");
  unchanged(crd.spec.names.plural, old.spec.names.plural, "names", "plural");
  return [...errors, ...validateRest(crd, old)];
}

/** Validation errors of a status: only names are checked. */
export function validateDefinitionStatus({ status }: CustomResourceDefinition): FieldError[] {
  const { acceptedNames } = status ?? {};
  return acceptedNames ? validateNames(acceptedNames, statusPath.child("acceptedNames")) : [];
}

function validateRest(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  const errors = [
    ...validateDefinitionStatus(crd),
    ...validateStoredVersions(crd),
    ...validateApproval(crd, old),
  ];
  if (crd.spec.preserveUnknownFields && !old?.spec.preserveUnknownFields) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    errors.push(invalid(specPath.child("preserveUnknownFields"), true, detail));
  }
  return errors;
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition): FieldError[] {
  const path = statusPath.child("storedVersions");
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    return [invalid(path, status?.storedVersions ?? null, "must have at least one stored version")];
  }
  const versions = spec.versions ?? [];
  // A version that occurs twice is reported once.
  const names = versions.map(({ name }) => name);
  const [known, repeated, storedNames] = [new Set(names), repeatedIndices(names), new Set(stored)];
  const errors = versions
    .filter(
      ({ storage, name }, index) => storage && !(storedNames.has(name) && !repeated.has(index)),
    )
    .map(({ name }) => invalid(path, stored, `must have the storage version ${name}`));
  const lastIndices = new Map(stored.map((name, index) => [name, index]));
  stored.forEach((name, index) => {
    if (known.has(name) || lastIndices.get(name) !== index) return;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(path.index(index), name, detail));
  });
  return errors;
}

function* validateSpec(
  spec: CustomResourceDefinitionSpec,
  rules: DefinitionRules,
): Steps<FieldError[]> {
  const hub = hubSpec(spec);
  const preserves = spec.preserveUnknownFields === true;
  const hasDefaults = someSchema(spec, (schema) => (schema.default ?? undefined) !== undefined);
  const structural =
    rules.structural || !preserves || hasDefaults || someSchema(spec, hasExtension);
  const effective = { ...rules, structural };
  const errors = [
    ...validateGroup(spec.group ?? ""),
    ...validateScope(spec.scope),
    ...validatePresence(spec, hub, rules),
  ];
  if (hasDefaults && preserves) {
    const detail = "must be false in order to use defaults in the schema";
    errors.push(invalid(specPath.child("preserveUnknownFields"), true, detail));
  }
  for (const [index, version] of hub.versions.entries()) {
    const path = specPath.child("versions").index(index);
    append(errors, yield* validateVersion(hub, version, path, effective));
  }
  errors.push(
    ...validateVersionList(spec, hub),
    ...requireNames(spec.names, specPath.child("names")),
    ...validateNames(spec.names, specPath.child("names")),
    ...(yield* validateShared(hub, effective)),
  );
  const { conversion } = spec;
  if (conversion && conversion.strategy !== "None" && preserves) {
    const detail = "must be None if spec.preserveUnknownFields is true";
    const at = specPath.child("conversion").child("strategy");
    errors.push(invalid(at, conversion.strategy, detail));
  }
  if (conversion) {
    append(errors, validateConversion(conversion, specPath.child("conversion"), rules));
  }
  return errors;
}

function hasExtension(schema: JSONSchemaProps): boolean {
  return (
    schema["x-kubernetes-embedded-resource"] === true ||
    schema["x-kubernetes-preserve-unknown-fields"] !== undefined ||
    schema["x-kubernetes-int-or-string"] === true ||
    (schema["x-kubernetes-list-map-keys"] ?? []).length > 0 ||
    schema["x-kubernetes-list-type"] !== undefined ||
    (schema["x-kubernetes-validations"] ?? []).length > 0
  );
}

function validateGroup(group: string): FieldError[] {
  const path = specPath.child("group");
  if (group === "") return [required(path)];
  const problems = isDNS1123Subdomain(group);
  if (problems.length > 0) return [invalid(path, group, problems.join(","))];
  return group.includes(".")
    ? []
    : [invalid(path, group, "should be a domain with at least one dot")];
}

function validateScope(scope: string | undefined): FieldError[] {
  const path = specPath.child("scope");
  if (!scope) return [required(path)];
  const known = ["Cluster", "Namespaced"];
  return known.includes(scope) ? [] : [notSupported(path, scope, known)];
}

/** Every version must have a schema, or at least every served version. */
function validatePresence(
  { preserveUnknownFields }: CustomResourceDefinitionSpec,
  { shared, versions }: HubSpec,
  rules: DefinitionRules,
): FieldError[] {
  if (shared.schema?.openAPIV3Schema) return [];
  if (!rules.everySchema && preserveUnknownFields) return [];
  const detail = rules.everySchema ? "" : "because otherwise all fields are pruned";
  return [...versions.entries()]
    .filter(([, { schema, served }]) => !schema?.openAPIV3Schema && (rules.everySchema || served))
    .map(([index]) => {
      const path = specPath.child("versions").index(index);
      return required(path.child("schema").child("openAPIV3Schema"), detail);
    });
}

function* validateVersion(
  hub: HubSpec,
  version: HubVersion,
  path: FieldPath,
  rules: DefinitionRules & { readonly structural: boolean },
): Steps<FieldError[]> {
  const { name = "", schema, subresources, selectableFields = [] } = version;
  const nameProblems = isDNS1035Label(name);
  const errors =
    nameProblems.length > 0 ? [invalid(path.child("name"), name, nameProblems.join(","))] : [];
  for (const problem of deprecationProblems(version.deprecated, version.deprecationWarning)) {
    errors.push(invalid(path.child("deprecationWarning"), version.deprecationWarning, problem));
  }
  if (schema) {
    const hasStatus = subresourcesOf(hub, version)?.status !== undefined;
    const unchanged = rules.isUnchanged(name);
    const place = { path: path.child("schema"), hasStatus, unchanged };
    append(errors, yield* validateValidation(schema, place, rules));
  }
  if (subresources) append(errors, validateSubresources(subresources, path.child("subresources")));
  version.additionalPrinterColumns?.forEach((column, index) => {
    append(errors, validateColumn(column, path.child("additionalPrinterColumns").index(index)));
  });
  if (selectableFields.length === 0) return errors;
  const at = path.child("selectableFields");
  if (!schema?.openAPIV3Schema) {
    const detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
    return [...errors, invalid(at, "", detail)];
  }
  const options = { anyNumber: rules.anySelectable(name) };
  return [
    ...errors,
    ...validateSelectableFields(selectableFields, schema.openAPIV3Schema, at, options),
  ];
}

function validateVersionList(spec: CustomResourceDefinitionSpec, hub: HubSpec): FieldError[] {
  const path = specPath.child("versions");
  const errors: FieldError[] = [];
  const names = hub.versions.map(({ name }) => name);
  const shown = (): unknown => (spec.versions ? shownVersions(hub.versions) : null);
  if (new Set(names).size < names.length) {
    errors.push(invalid(path, shown(), "must contain unique version names"));
  }
  if (hub.versions.filter(({ storage }) => storage).length !== 1) {
    const detail = "must have exactly one version marked as storage version";
    errors.push(invalid(path, shown(), detail));
  }
  const [first = ""] = names;
  const problems = first === "" ? [] : isDNS1035Label(first);
  if (problems.length > 0) {
    errors.push(invalid(specPath.child("version"), first, problems.join(",")));
  }
  return errors;
}

/** Validates the parts that all versions share. */
function* validateShared(
  { shared, versions }: HubSpec,
  rules: DefinitionRules & { readonly structural: boolean },
): Steps<FieldError[]> {
  const { schema, subresources, additionalPrinterColumns, selectableFields = [] } = shared;
  const errors: FieldError[] = [];
  if (schema) {
    const hasStatus =
      subresources?.status !== undefined ||
      versions.some((version) => version.subresources?.status !== undefined);
    const unchanged = rules.isUnchanged(versions[0]?.name ?? "");
    const place = { path: specPath.child("validation"), hasStatus, unchanged };
    append(errors, yield* validateValidation(schema, place, rules));
  }
  if (subresources) {
    append(errors, validateSubresources(subresources, specPath.child("subresources")));
  }
  additionalPrinterColumns?.forEach((column, index) => {
    append(errors, validateColumn(column, specPath.child("additionalPrinterColumns").index(index)));
  });
  if (selectableFields.length === 0) return errors;
  const at = specPath.child("selectableFields");
  if (!schema?.openAPIV3Schema) {
    return [...errors, invalid(at, "", "may only be set when validations.schema is included")];
  }
  const options = { anyNumber: rules.anySelectable("") };
  return [
    ...errors,
    ...validateSelectableFields(selectableFields, schema.openAPIV3Schema, at, options),
  ];
}
