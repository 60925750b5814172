import type { Service } from "#/api/core/v1.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isIpv6, validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import { append } from "#/std/base/append.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { isHeadless } from "./kinds-of-service.ts";

/** Upstream: pkg/apis/core/validation/validation.go (ValidateServiceClusterIPsRelatedFields and those for updates). */
const ipsPath = fieldPath("spec", "clusterIPs");
const familiesPath = fieldPath("spec", "ipFamilies");
const policyPath = fieldPath("spec", "ipFamilyPolicy");
const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** Validation errors of the addresses and families of a Service. */
export function validateClusterIPs(service: Service, old?: Service): FieldError[] {
  const { spec } = service;
  if (spec.type === "ExternalName") return [];
  const errors = [...validateFirst(service), ...validateFamilies(service)];
  if (spec.ipFamilyPolicy !== undefined && !policies.includes(spec.ipFamilyPolicy)) {
    errors.push(notSupported(policyPath, new JsonValue(spec.ipFamilyPolicy), policies));
  }
  const { clusterIPs = [] } = spec;
  const known = new Set(old?.spec.clusterIPs);
  const malformed = clusterIPs.flatMap((ip, index) => {
    if (index > 0 || ip !== "None") {
      return validateLegacyIp(ipsPath.index(index), ip, { old: known });
    }
    if (clusterIPs.length === 1) return [];
    return [invalid(ipsPath, clusterIPs, "'None' must be the first and only value")];
  });
  append(errors, malformed);
  if (clusterIPs.length > 2) {
    errors.push(invalid(ipsPath, clusterIPs, "may only hold up to 2 values"));
  }
  if (malformed.length > 0) return errors;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(isIpv6)).size < 2) {
    const detail = "may specify no more than one IP for each IP family";
    errors.push(invalid(ipsPath, clusterIPs, detail));
  }
  append(errors, validateMatch(service));
  return errors;
}

function validateFirst({ spec: { clusterIP = "", clusterIPs = [] } }: Service): FieldError[] {
  if (clusterIP === "") {
    if (clusterIPs.length === 0) return [];
    return [invalid(ipsPath, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [required(ipsPath)];
  if (clusterIPs[0] === clusterIP) return [];
  return [invalid(ipsPath, clusterIPs, "first value must match `clusterIP`")];
}

function validateFamilies({ spec: { ipFamilies = [] } }: Service): FieldError[] {
  const repeated = repeatedIndices(ipFamilies);
  return ipFamilies.flatMap((family, index) => {
    const path = familiesPath.index(index);
    const shown = new JsonValue(family);
    return [
      ...(families.includes(family) ? [] : [notSupported(path, shown, families)]),
      ...(repeated.has(index) ? [duplicate(path, shown)] : []),
    ];
  });
}

/** Each address must have the family at its index. */
function validateMatch(service: Service): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = service.spec;
  if (isHeadless(service)) return [];
  return clusterIPs.flatMap((ip, index) => {
    const family = ipFamilies[index];
    if (family !== "IPv4" && family !== "IPv6") return [];
    if (isIpv6(ip) === (family === "IPv6")) return [];
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalid(ipsPath.index(index), ip, detail)];
  });
}

const unchanging = "may not change once set";

/** Checks updates of the addresses: the second may be added and removed, the first is immutable. */
export function validateClusterIPsUpdate(service: Service, old: Service): FieldError[] {
  if (involvesExternalName(service, old) || (isHeadless(service) && isHeadless(old))) return [];
  const { clusterIPs: ips = [], ipFamilyPolicy } = service.spec;
  const { clusterIPs: oldIPs = [] } = old.spec;
  const changed = (index: number): FieldError =>
    invalid(ipsPath.index(index), ips.length > 0 ? ips : null, unchanging);
  if (ips.length === oldIPs.length) {
    return oldIPs.flatMap((ip, index) => (ip === ips[index] ? [] : [changed(index)]));
  }
  const errors: FieldError[] = [];
  if (oldIPs.length > ips.length && ips.length === 0) {
    errors.push(invalid(ipsPath.index(0), null, "primary clusterIP can not be unset"));
  }
  if (oldIPs.length > 0 && ips.length > 0 && ips[0] !== oldIPs[0]) errors.push(changed(0));
  if (oldIPs.length > ips.length && ips.length === 1 && ipFamilyPolicy !== "SingleStack") {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalid(policyPath, new JsonValue(ipFamilyPolicy ?? null), detail));
  }
  return errors;
}

/** The same for the families. */
export function validateIPFamiliesUpdate(service: Service, old: Service): FieldError[] {
  if (involvesExternalName(service, old) || isHeadless(service) || isHeadless(old)) return [];
  const { ipFamilies: now = [], clusterIPs = null, ipFamilyPolicy } = service.spec;
  const { ipFamilies: before = [] } = old.spec;
  const at = familiesPath.index(0);
  if (now.length === before.length) {
    return before.flatMap((family, index) =>
      family === now[index] ? [] : [invalid(at, now, unchanging)],
    );
  }
  const errors: FieldError[] = [];
  const reduced = before.length > now.length;
  if (reduced && !clusterIPs?.length) {
    errors.push(invalid(at, now.length > 0 ? now : null, "primary ipFamily can not be unset"));
  }
  // Upstream shows the addresses here.
  if (before.length > 0 && now.length > 0 && now[0] !== before[0]) {
    errors.push(invalid(at, clusterIPs, unchanging));
  }
  if (reduced && now.length === 1 && ipFamilyPolicy !== "SingleStack") {
    const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
    errors.push(invalid(policyPath, new JsonValue(ipFamilyPolicy ?? null), detail));
  }
  return errors;
}

const involvesExternalName = (service: Service, old: Service): boolean =>
  service.spec.type === "ExternalName" || old.spec.type === "ExternalName";
