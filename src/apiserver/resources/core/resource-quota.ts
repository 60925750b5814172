import { type ResourceList, type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { validateAmount, validateQuotaResourceName } from "../rules/quantity-rules.ts";
import { isMore } from "./limit-amounts.ts";
import { roundResourceList } from "./pod-spec/base/resource-list-defaults.ts";
import { validateQuotaScopes } from "./quota-scopes.ts";

/** Upstream: pkg/registry/core/resourcequota/strategy.go, pkg/apis/core/validation/validation.go. */
export const resourceQuota = serve(resourceQuotas, {
  returnsDeletedObject: true,
  setDefaults({ spec, status }) {
    roundResourceList(spec.hard);
    roundResourceList(status?.hard);
    roundResourceList(status?.used);
  },
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: (object) => [
    ...validateNamespacedMeta(object.metadata, nameIsDNSSubdomain),
    ...validateSpec(object),
    ...validateStatus(object),
  ],
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(object),
    ...validateSameScopes(object, old),
  ],
  warnings: (object, old) => (old ? [] : requestWarnings(object)),
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...(object.metadata.resourceVersion ? [] : [required(fieldPath("resourceVersion"))]),
      ...validateStatus(object),
    ],
    resetFields: ["spec"],
  },
  columns: [
    nameColumn,
    { name: "Request", type: "string", cell: (quota) => formatUse(quota, false) },
    { name: "Limit", type: "string", cell: (quota) => formatUse(quota, true) },
    ageColumn,
  ],
});

function validateSpec({ spec }: ResourceQuota): FieldError[] {
  const path = fieldPath("spec");
  return [...validateAmounts(spec.hard, path.child("hard")), ...validateQuotaScopes(spec, path)];
}

function validateStatus({ status }: ResourceQuota): FieldError[] {
  const path = fieldPath("status");
  return [
    ...validateAmounts(status?.hard, path.child("hard")),
    ...validateAmounts(status?.used, path.child("used")),
  ];
}

function validateAmounts(amounts: ResourceList | undefined, path: FieldPath): FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) => [
    ...validateQuotaResourceName(name, path.key(name)),
    ...validateAmount(name, amount, path.key(name)),
  ]);
}

function validateSameScopes(
  { spec }: Decoded<ResourceQuota>,
  old: Decoded<ResourceQuota>,
): FieldError[] {
  const scopes = new Set<string>(spec.scopes);
  if (scopes.symmetricDifference(new Set<string>(old.spec.scopes)).size === 0) return [];
  return [invalid(fieldPath("spec", "scopes"), spec.scopes ?? null, immutableMessage)];
}

const warnedResources = ["cpu", "memory", "storage", "ephemeral-storage"];

function requestWarnings({ spec: { hard = {} } }: ResourceQuota): string[] {
  return warnedResources.flatMap((name) => {
    const bare = name === "cpu" || name === "memory";
    const request = bare && !(`requests.${name}` in hard) ? name : `requests.${name}`;
    const limit = `limits.${name}`;
    const [requested, limited] = [hard[request], hard[limit]];
    if (requested === undefined || limited === undefined || !isMore(requested, limited)) return [];
    return [`ResourceQuota ${request} (${requested}) should be less than ${limit} (${limited})`];
  });
}

function formatUse({ status }: ResourceQuota, limits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}
