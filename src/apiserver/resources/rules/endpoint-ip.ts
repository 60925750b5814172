import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { parseIpSloppy } from "#/machinery/meta/ip-rules.ts";
import { type Ip, isLinkLocal, isLoopback, isUnspecified } from "#/std/net/ip.ts";

/**
 * The address of an endpoint may not be a loopback or link-local address.
 *
 * Upstream: pkg/apis/core/validation/validation.go (ValidateEndpointIP).
 */
export function validateEndpointIp(path: FieldPath, text: string): FieldError[] {
  const ip = parseIpSloppy(text);
  if (!ip) return [invalid(path, text, "must be a valid IP address")];
  const problems: string[] = [];
  if (isUnspecified(ip)) problems.push(`may not be unspecified (${text})`);
  if (isLoopback(ip)) problems.push("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (isLinkLocal(ip)) {
    problems.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (isLinkLocalMulticast(ip)) {
    problems.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return problems.map((problem) => invalid(path, text, problem));
}

/** 224.0.0.0/24 or ff02::/16. */
function isLinkLocalMulticast({ family, value }: Ip): boolean {
  return family === 4
    ? value >> 8n === 0xe00000n
    : (value >> 112n) % 0x10n === 2n && value >> 120n === 0xffn;
}
