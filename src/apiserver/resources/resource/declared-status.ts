import type { ResourceClaimStatus } from "#/api/resource/v1.ts";
import { type FieldError, invalid, JsonValue, tooLong } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan, isLongName } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type FieldRule, type StructRules, validateDeclared } from "../rules/declared-rules.ts";
import { FieldReport } from "../rules/field-report.ts";
import { opaqueRules, tolerationRules } from "./declared-claim.ts";
import { validateDriverName } from "./device-names.ts";

/**
 * Declared rules of the type of a claim's status.
 *
 * Upstream: staging/src/k8s.io/api/resource/v1/types.go.
 */
const maxPoolBytes = 253;
const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const uuid: FieldRule = {
  format: (text) =>
    uuidPattern.test(text) ? [] : ["must be a lowercase UUID in 8-4-4-4-12 format"],
};
const shortText = (maxBytes: number): FieldRule => ({
  check: (path, text) => (isLongerThan(text, maxBytes) ? [tooLong(path, maxBytes)] : []),
});

function checkPool(path: FieldPath, name: string): FieldError[] {
  const long = isLongerThan(name, maxPoolBytes) ? [tooLong(path, maxPoolBytes)] : [];
  const problems = name.split("/").flatMap((part, index) => {
    const prefix = `segment ${index}: `;
    if (part === "") return [invalid(path, name, `${prefix}must not be empty`)];
    return isLongName(part).map((problem) => invalid(path, part, `${prefix}${problem}`));
  });
  return [...long, ...problems];
}

const result: StructRules = {
  fields: {
    driver: { required: true, check: validateDriverName },
    pool: { required: true, check: checkPool },
    tolerations: { items: () => tolerationRules },
    bindingConditions: { maxItems: 4 },
    bindingFailureConditions: { maxItems: 4 },
    shareID: uuid,
  },
};
const configuration: StructRules = {
  fields: {
    source: { required: true, values: ["FromClaim", "FromClass"] },
    requests: { maxItems: 32, unique: true },
    opaque: { struct: () => opaqueRules },
  },
};
const allocation: StructRules = {
  fields: {
    results: { maxItems: 32, items: () => result },
    config: { maxItems: 64, items: () => configuration },
  },
};
const networkData: StructRules = {
  fields: {
    interfaceName: shortText(256),
    ips: { maxItems: 16, unique: true },
    hardwareAddress: shortText(128),
  },
};
const device: StructRules = {
  fields: { shareID: uuid, networkData: { struct: () => networkData } },
};
const allocationField: StructRules = {
  fields: { allocation: { struct: () => ({ fields: { devices: { struct: () => allocation } } }) } },
};
const others: StructRules = {
  fields: {
    reservedFor: { maxItems: 256, named: "uid", items: () => ({ fields: {} }) },
    devices: {
      named: ({ driver, device: name, pool, shareID }) =>
        JSON.stringify([driver, name, pool, shareID]),
      items: () => device,
    },
  },
};

/** Errors of the declared rules of a new status. */
export function declaredStatusErrors(
  path: FieldPath,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
): FieldError[] {
  const report = new FieldReport();
  const scope = { isUpdate: true, enabled: () => true };
  if (!old.allocation || !status.allocation) {
    validateDeclared(report, path, { value: status, old, rules: allocationField }, scope);
  } else if (!deepEqual(status.allocation, old.allocation)) {
    const detail = "field cannot be modified once set";
    report.invalid(path, "allocation", new JsonValue(null), detail);
  }
  validateDeclared(report, path, { value: status, old, rules: others }, scope);
  return report.errors;
}
