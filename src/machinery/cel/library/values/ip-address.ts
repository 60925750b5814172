import { goQuote } from "#/std/go/go-quote.ts";
import { type Ip, parseIp } from "#/std/net/ip.ts";

/** An invalid or forbidden address. The message is Go's. */
export class IpError extends Error {
  override readonly name = "IpError";
}

/** An address with its zone, which is "" for most. */
interface ZonedAddress {
  readonly ip: Ip;
  readonly zone: string;
}

/**
 * Parses an address. Throws IpError.
 *
 * Upstream: Go's netip.ParseAddr.
 */
export function parseAddress(text: string): ZonedAddress {
  const percent = text.indexOf("%");
  const hasZone = percent >= 0 && text.slice(0, percent).includes(":");
  const address = hasZone ? text.slice(0, percent) : text;
  const ip = parseIp(address);
  if (ip !== undefined && !(hasZone && percent === text.length - 1)) {
    return { ip, zone: hasZone ? text.slice(percent + 1) : "" };
  }
  const { message, at } = explain(text, address, hasZone);
  const place = at === "" ? "" : ` (at ${goQuote(at)})`;
  throw new IpError(`ParseAddr(${goQuote(text)}): ${message}${place}`);
}

interface Explanation {
  readonly message: string;
  /** The invalid part of the text; "" if the message has none. */
  readonly at: string;
}

const because = (message: string, at = ""): Explanation => ({ message, at });

/** The error for a text that is not an address. */
function explain(text: string, address: string, hasZone: boolean): Explanation {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === undefined) return because("unable to parse IP");
  if (first === "%") return because("missing IPv6 address");
  if (first === ".") return explainIpv4(text);
  if (hasZone && text.length === address.length + 1)
    return because("zone must be a non-empty string");
  return explainIpv6(address);
}

function explainIpv4(text: string): Explanation {
  let digits = "";
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (/\d/.test(character)) {
      if (digits === "0") return because("IPv4 field has octet with leading zero");
      digits += character;
      if (Number(digits) > 255) return because("IPv4 field has value >255");
    } else if (character === ".") {
      if (digits === "" || i === text.length - 1) {
        return because("IPv4 field must have at least one digit", text.slice(i));
      }
      if (dots === 3) return because("IPv4 address too long");
      dots++;
      digits = "";
    } else {
      return because("unexpected character", text.slice(i));
    }
  }
  return because("IPv4 address too short");
}

function explainIpv6(address: string): Explanation {
  let rest = address;
  let groups = 0;
  let hasEllipsis = false;
  if (rest.startsWith("::")) {
    hasEllipsis = true;
    rest = rest.slice(2);
  }
  while (groups < 8) {
    const digits = /^[\da-f]*/i.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return because("each group must have 4 or less digits", rest);
    if (digits === "") {
      return because("each colon-separated field must have at least one digit", rest);
    }
    if (rest[digits.length] === ".") return explainEmbedded(rest, groups, hasEllipsis);
    groups++;
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return because("unexpected character, want colon", rest);
    if (rest.length === 1) return because("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (hasEllipsis) return because("multiple :: in address", rest);
      hasEllipsis = true;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") return because("trailing garbage after address", rest);
  if (groups < 8) return because("address string too short");
  return because("the :: must expand to at least one field of zeros");
}

function explainEmbedded(rest: string, groups: number, hasEllipsis: boolean): Explanation {
  if (!hasEllipsis && groups !== 6) {
    return because("embedded IPv4 address must replace the final 2 fields of the address", rest);
  }
  if (groups > 6) {
    return because("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  }
  return explainIpv4(rest);
}
