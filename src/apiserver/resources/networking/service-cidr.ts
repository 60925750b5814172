import { type ServiceCIDR, serviceCIDRs } from "#/api/networking/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { parseCidrSloppy, validateCidr } from "#/machinery/meta/ip-rules.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

/** Upstream: pkg/registry/networking/servicecidr/strategy.go, pkg/apis/networking/validation/validation.go. */
export const serviceCIDR = serve(serviceCIDRs, {
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: ({ metadata, spec }) => [
    ...validateClusterMeta(metadata, nameIsDNSSubdomain),
    ...validateCidrs(spec.cidrs ?? []),
  ],
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateChange(object, old),
  ],
  resetFields: ["status"],
  status: {
    validateUpdate: (object, old) => validateMetaUpdate(object.metadata, old.metadata),
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    { name: "CIDRs", type: "string", cell: ({ spec }) => (spec.cidrs ?? []).join(",") },
    ageColumn,
  ],
});

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  const path = fieldPath("spec", "cidrs");
  if (cidrs.length === 0) return [required(path, "at least one CIDR required")];
  if (cidrs.length > 2) return [invalid(path, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const errors = cidrs.flatMap((cidr, index) => validateCidr(path.index(index), cidr));
  const [first, second] = cidrs.map((cidr) => parseCidrSloppy(cidr)?.ip.family);
  if (cidrs.length === 2 && first !== undefined && first === second) {
    const detail =
      "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(invalid(path, cidrs, detail));
  }
  return errors;
}

/** Networks are immutable, but a network of the other family may be added to a single one. */
function validateChange({ spec }: Decoded<ServiceCIDR>, old: Decoded<ServiceCIDR>): FieldError[] {
  const path = fieldPath("spec", "cidrs");
  const { cidrs = [] } = spec;
  const before = old.spec.cidrs ?? [];
  const added = before.length === 1 && cidrs.length === 2;
  if (before.length !== cidrs.length && !added) {
    return [invalid(path, cidrs.length > 0 ? cidrs : null, immutableMessage)];
  }
  const changed = before.flatMap((cidr, index) => {
    const now = cidrs[index];
    return now === cidr ? [] : [invalid(path.index(index), now, immutableMessage)];
  });
  return added ? [...changed, ...validateCidrs(cidrs)] : changed;
}
