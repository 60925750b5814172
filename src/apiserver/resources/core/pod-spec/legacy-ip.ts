import type { FieldPath } from "#/machinery/field-path.ts";
import type { Problems } from "#/machinery/names.ts";
import { goQuote } from "#/std/go-quote.ts";
import { formatIp, type Ip, parseIp, unmapIp } from "#/std/ip.ts";

/**
 * Addresses in fields that once took any form which could be read.
 *
 * Upstream: apimachinery/pkg/util/validation/ip.go.
 */

const notAnIp: Problems = ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
const leadingZeros: Problems = ["must not have leading 0s"];
const mapped: Problems = ["must not be an IPv4-mapped IPv6 address"];
const none: Problems = [];

/** What is wrong with an address; strict is the gate StrictIPCIDRValidation. */
export function legacyIpProblems(text: string, strict: boolean): Problems {
  if (parseIp(text, { sloppy: true }) === undefined) return notAnIp;
  if (!strict) return none;
  const exact = parseIp(text);
  if (exact === undefined) return leadingZeros;
  return isMapped(exact) ? mapped : none;
}

/** What a client that sent an unusual form of an address should know. */
export function legacyIpWarnings(path: FieldPath, text: string): string[] {
  const ip = parseIp(text, { sloppy: true });
  if (ip === undefined) return [];
  const exact = parseIp(text);
  if (exact === undefined || isMapped(exact)) {
    const better = goQuote(formatIp(unmapIp(ip)));
    return [`${path}: non-standard IP address ${goQuote(text)} is invalid: use ${better}`];
  }
  const canonical = formatIp(exact);
  if (exact.family === 4 || canonical === text) return [];
  return [
    `${path}: IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(canonical)})`,
  ];
}

const isMapped = (ip: Ip): boolean => unmapIp(ip) !== ip;
