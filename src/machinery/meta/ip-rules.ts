import { goQuote } from "#/std/go/go-quote.ts";
import { type Cidr, formatCidr, isCanonical, network, parseCidr } from "#/std/net/cidr.ts";
import { formatIp, type Ip, ipBits, parseIp, parseNetIp, unmapIp } from "#/std/net/ip.ts";
import { type ErrorPath, type FieldError, invalid } from "./field-error.ts";

/**
 * Rules for IP addresses and CIDRs in fields. Old fields accept forms that new fields reject.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go.
 */
interface LegacyIpOptions {
  /** Reject leading zeros and IPv4-mapped IPv6 (StrictIPCIDRValidation); default true. */
  readonly strict?: boolean;
  /** Values that the object had before; they stay valid. */
  readonly old?: ReadonlySet<string> | undefined;
}

/**
 * Parses an address as net.ParseIP does, but allows leading zeros; an IPv4-mapped IPv6 address
 * counts as IPv4.
 */
export function parseIpSloppy(text: string): Ip | undefined {
  return parseNetIp(text, { sloppy: true });
}

/** Parses a network as net.ParseCIDR does, but allows leading zeros. */
export function parseCidrSloppy(text: string): Cidr | undefined {
  return parseCidr(text, { sloppy: true });
}

export const isIpv6 = (text: string): boolean => parseIpSloppy(text)?.family === 6;

/** Validates an address in a new field: only the canonical form is valid. */
export function validateIp(path: ErrorPath, text: string): FieldError[] {
  const errors = validateLegacyIp(path, text);
  const ip = parseIp(text, { sloppy: true });
  if (errors.length > 0 || ip === undefined) return errors;
  const canonical = formatIp(unmapIp(ip));
  return text === canonical ? [] : [notCanonical(path, text, canonical)];
}

/** Validates an address in an old field. */
export function validateLegacyIp(
  path: ErrorPath,
  text: string,
  { strict = true, old }: LegacyIpOptions = {},
): FieldError[] {
  if (old?.has(text)) return [];
  const ip = parseIp(text, { sloppy: true });
  if (ip === undefined) {
    const detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    return [invalid(path, text, detail)];
  }
  if (!strict) return [];
  if (parseIp(text) === undefined) return [invalid(path, text, "must not have leading 0s")];
  return isMapped(ip) ? [invalid(path, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

/** Validates a CIDR in a new field: only the canonical form is valid. */
export function validateCidr(path: ErrorPath, text: string): FieldError[] {
  const errors = validateLegacyCidr(path, text);
  const cidr = parseCidr(text, { sloppy: true });
  if (errors.length > 0 || cidr === undefined) return errors;
  const canonical = formatCidr(network(cidr));
  return text === canonical ? [] : [notCanonical(path, text, canonical)];
}

/** Validates a CIDR in an old field. */
export function validateLegacyCidr(
  path: ErrorPath,
  text: string,
  { strict = true, old }: LegacyIpOptions = {},
): FieldError[] {
  if (old?.has(text)) return [];
  const cidr = parseCidr(text, { sloppy: true });
  if (cidr === undefined) {
    const detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    return [invalid(path, text, detail)];
  }
  return strict ? strictCidr(path, text, cidr) : [];
}

function strictCidr(path: ErrorPath, text: string, cidr: Cidr): FieldError[] {
  if (parseCidr(text) === undefined) {
    return [invalid(path, text, "must not have leading 0s in IP or prefix length")];
  }
  if (isMapped(cidr.ip)) {
    return [invalid(path, text, "must not have an IPv4-mapped IPv6 address")];
  }
  if (isCanonical(cidr)) return [];
  return [invalid(path, text, "must not have bits set beyond the prefix length")];
}

/** Validates an interface address: an address with a prefix length, in canonical form. */
export function validateInterfaceAddress(path: ErrorPath, text: string): FieldError[] {
  const cidr = parseCidr(text, { sloppy: true });
  if (cidr === undefined) {
    const detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    return [invalid(path, text, detail)];
  }
  const ip = unmapIp(cidr.ip);
  const mapped = ip.family !== cidr.ip.family && cidr.prefixLength > 32;
  const canonical = `${formatIp(ip)}/${cidr.prefixLength - (mapped ? 96 : 0)}`;
  return text === canonical ? [] : [notCanonical(path, text, canonical)];
}

/** Warnings about a valid address that is not in canonical form. */
export function ipWarnings(path: ErrorPath, text: string): string[] {
  const ip = parseIp(text, { sloppy: true });
  if (ip === undefined) return [];
  const canonical = formatIp(unmapIp(ip));
  if (parseIp(text) === undefined || isMapped(ip)) {
    return [
      `${path}: non-standard IP address ${goQuote(text)} is invalid: use ${goQuote(canonical)}`,
    ];
  }
  if (ip.family === 4 || text === canonical) return [];
  return [
    `${path}: IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(canonical)})`,
  ];
}

/** Warnings about a valid network that is not in canonical form. */
export function cidrWarnings(path: ErrorPath, text: string): string[] {
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

const isMapped = (ip: Ip): boolean => ip.family === 6 && unmapIp(ip).family === 4;

function notCanonical(path: ErrorPath, text: string, canonical: string): FieldError {
  return invalid(path, text, `must be in canonical form (${goQuote(canonical)})`);
}
