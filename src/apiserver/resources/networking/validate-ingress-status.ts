import type { Ingress } from "#/api/networking/v1.ts";
import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { parseIpSloppy, validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import { isDNS1123Subdomain } from "#/machinery/meta/names.ts";

/** Validation errors of the addresses of an ingress. Upstream: pkg/apis/networking/validation/validation.go. */
export function validateIngressStatus({ status }: Ingress, old: Ingress): FieldError[] {
  const known = new Set(old.status?.loadBalancer?.ingress?.flatMap(({ ip }) => (ip ? [ip] : [])));
  const path = fieldPath("status", "loadBalancer", "ingress");
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }, index) => {
    const at = path.index(index);
    const errors = ip ? validateLegacyIp(at.child("ip"), ip, { old: known }) : [];
    if (!hostname) return errors;
    for (const problem of isDNS1123Subdomain(hostname)) {
      errors.push(invalid(at.child("hostname"), hostname, problem));
    }
    if (parseIpSloppy(hostname)) {
      const detail = "must be a DNS name, not an IP address";
      errors.push(invalid(at.child("hostname"), hostname, detail));
    }
    return errors;
  });
}
