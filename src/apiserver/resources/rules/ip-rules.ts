import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type Cidr, formatCidr, isCanonical, network, parseCidr } from "#/std/net/cidr.ts";
import {
  formatIp,
  type Ip,
  ipBits,
  isLinkLocal,
  isLoopback,
  isUnspecified,
  parseIp,
  unmapIp,
} from "#/std/net/ip.ts";

/**
 * Addresses and networks in API fields. Old fields take any spelling of an address, new ones the canonical one alone.
 *
 * Upstream: apimachinery/pkg/util/validation/ip.go, pkg/apis/core/validation/validation.go (ValidateEndpointIP).
 */

const badIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const badCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** Reads an address as net.ParseIP does but with leading zeros; one mapped into IPv6 counts as IPv4. */
export function parseIpSloppy(text: string): Ip | undefined {
  const ip = parseIp(text, { sloppy: true });
  return ip && unmapIp(ip);
}

/** Reads a network as net.ParseCIDR does but with leading zeros. */
export function parseCidrSloppy(text: string): Cidr | undefined {
  return parseCidr(text, { sloppy: true });
}

export const isIpv6 = (text: string): boolean => parseIpSloppy(text)?.family === 6;

/** What is wrong with an address in an old field; those it had before are let be. */
export function validateLegacyIp(
  path: FieldPath,
  text: string,
  known: readonly string[] = [],
): FieldError[] {
  if (known.includes(text)) return [];
  if (!parseIpSloppy(text)) return [invalid(path, text, badIp)];
  const ip = parseIp(text);
  if (!ip) return [invalid(path, text, "must not have leading 0s")];
  return isMapped(ip) ? [invalid(path, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

/** What is wrong with an address in a new field. */
export function validateIp(path: FieldPath, text: string): FieldError[] {
  const errors = validateLegacyIp(path, text);
  const ip = parseIpSloppy(text);
  if (errors.length > 0 || !ip) return errors;
  const canonical = formatIp(ip);
  if (text === canonical) return [];
  return [invalid(path, text, `must be in canonical form (${goQuote(canonical)})`)];
}

/** What is wrong with a network in an old field; those it had before are let be. */
export function validateLegacyCidr(
  path: FieldPath,
  text: string,
  known: readonly string[] = [],
): FieldError[] {
  if (known.includes(text)) return [];
  if (!parseCidrSloppy(text)) return [invalid(path, text, badCidr)];
  const cidr = parseCidr(text);
  if (!cidr) return [invalid(path, text, "must not have leading 0s in IP or prefix length")];
  if (isMapped(cidr.ip)) return [invalid(path, text, "must not have an IPv4-mapped IPv6 address")];
  if (isCanonical(cidr)) return [];
  return [invalid(path, text, "must not have bits set beyond the prefix length")];
}

/** What is wrong with a network in a new field. */
export function validateCidr(path: FieldPath, text: string): FieldError[] {
  const errors = validateLegacyCidr(path, text);
  const cidr = parseCidrSloppy(text);
  if (errors.length > 0 || !cidr) return errors;
  const canonical = formatCidr(network(cidr));
  if (text === canonical) return [];
  return [invalid(path, text, `must be in canonical form (${goQuote(canonical)})`)];
}

/** What is wrong with an address as that of an endpoint. */
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

/** What the author of an oddly written address is told. */
export function ipWarnings(path: FieldPath, text: string): string[] {
  const sloppy = parseIpSloppy(text);
  if (!sloppy) return [];
  const canonical = formatIp(sloppy);
  const ip = parseIp(text);
  if (!ip || isMapped(ip)) {
    const use = goQuote(canonical);
    return [`${path}: non-standard IP address ${goQuote(text)} is invalid: use ${use}`];
  }
  if (ip.family === 4 || canonical === text) return [];
  const form = goQuote(canonical);
  return [
    `${path}: IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${form})`,
  ];
}

/** What the author of an oddly written network is told. */
export function cidrWarnings(path: FieldPath, text: string): string[] {
  const sloppy = parseCidrSloppy(text);
  if (!sloppy) return [];
  const warnings: string[] = [];
  const whole = formatCidr(network(sloppy));
  if (!isCanonical(sloppy)) {
    const single = `${formatIp(sloppy.ip)}/${ipBits(sloppy.ip.family)}`;
    warnings.push(
      `${path}: CIDR value ${goQuote(text)} is ambiguous in this context (should be ${goQuote(whole)} or ${goQuote(single)}?)`,
    );
  }
  const cidr = parseCidr(text);
  if (!cidr || isMapped(cidr.ip)) {
    warnings.push(
      `${path}: non-standard CIDR value ${goQuote(text)} is invalid: use ${goQuote(whole)}`,
    );
  } else if (warnings.length === 0 && cidr.ip.family === 6 && formatCidr(cidr) !== text) {
    warnings.push(
      `${path}: IPv6 CIDR value ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(formatCidr(cidr))})`,
    );
  }
  return warnings;
}

const isMapped = (ip: Ip): boolean => ip.family === 6 && ip.value >> 32n === 0xffffn;

/** 224.0.0.0/24 or ff02::/16. */
function isLinkLocalMulticast({ family, value }: Ip): boolean {
  return family === 4
    ? value >> 8n === 0xe00000n
    : (value >> 112n) % 0x10n === 2n && value >> 120n === 0xffn;
}
