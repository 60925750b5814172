import { storageVersionMigrations } from "#/api/storagemigration/v1.ts";
import {
  type StorageVersionMigration,
  storageVersionMigrations as storageVersionMigrationsBeta,
} from "#/api/storagemigration/v1beta1.ts";
import { findCondition, validateConditions } from "#/machinery/meta/conditions.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1035Label, isDNS1123Subdomain, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { nameColumn } from "../rules/age.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

type Migration = Decoded<StorageVersionMigration>;

const specPath = fieldPath("spec");
const resourcePath = specPath.child("resource");
const conditionsPath = fieldPath("status", "conditions");
const shownStates = ["Running", "Failed", "Succeeded"];

/**
 * Upstream: pkg/registry/storagemigration/storagemigration/strategy.go,
 * pkg/apis/storagemigration/validation/validation.go.
 */
export const storageVersionMigration = serve(storageVersionMigrationsBeta, {
  versions: [{ handle: storageVersionMigrations }],
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: validateMigration,
  validateUpdate: (object, old) => [
    ...validateMigration(object),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...(deepEqual(object.spec, old.spec)
      ? []
      : [invalid(specPath, { Resource: object.spec.resource }, immutableMessage)]),
  ],
  resetFields: ["status"],
  status: { validateUpdate: validateStatus, resetFields: ["metadata", "spec"] },
  columns: [
    { ...nameColumn, format: "" },
    { name: "Resource", type: "string", cell: shownResource },
    { name: "Status", type: "string", cell: shownState },
  ],
});

function shownResource({ spec }: Migration): string {
  const { resource, group } = spec.resource;
  return group ? `${resource}.${group}` : resource;
}

function shownState({ status }: Migration): string {
  const found = status?.conditions?.findLast(
    ({ type, status: value }) => value === "True" && shownStates.includes(type),
  );
  return found?.type ?? "Unknown";
}

function validateMigration({ metadata, spec }: Migration): FieldError[] {
  const errors = validateClusterMeta(metadata, nameIsDNSSubdomain);
  const { resource = "", group = "" } = spec.resource ?? {};
  const path = resourcePath.child("resource");
  if (resource === "") errors.push(required(path, "resource is required to be set"));
  else append(errors, joined(path, resource, isDNS1035Label(resource)));
  if (group === "") return errors;
  return [...errors, ...joined(resourcePath.child("group"), group, isDNS1123Subdomain(group))];
}

const joined = (path: typeof specPath, value: string, problems: readonly string[]) =>
  problems.length > 0 ? [invalid(path, value, problems.join(","))] : [];

function validateStatus(object: Migration, old: Migration): FieldError[] {
  const { resourceVersion = "", conditions } = object.status ?? {};
  const before = old.status ?? {};
  const path = fieldPath("status", "resourceVersion");
  const errors = validateMetaUpdate(object.metadata, old.metadata);
  if (resourceVersion !== "" && !/^[1-9]\d*$/.test(resourceVersion)) {
    const detail = `resource version is not well formed: ${resourceVersion}`;
    errors.push(invalid(path, resourceVersion, detail));
  }
  append(errors, validateConditions(conditions, conditionsPath));
  if (before.resourceVersion && before.resourceVersion !== resourceVersion) {
    errors.push(invalid(path, resourceVersion, immutableMessage));
  }
  const is = (migration: Migration, type: string) =>
    findCondition(migration.status?.conditions, type)?.status === "True";
  const refuse = (detail: string) => errors.push(invalid(conditionsPath, conditions, detail));
  if (is(object, "Succeeded") && is(object, "Failed")) {
    refuse("Both success and failed conditions cannot be true at the same time");
  }
  if (is(old, "Succeeded") && !is(object, "Succeeded")) {
    refuse("Success condition cannot be set to false once it is true");
  }
  if (is(old, "Failed") && !is(object, "Failed")) {
    refuse("Failed condition cannot be set to false once it is true");
  }
  return errors;
}
