import { goQuote } from "#/std/go/go-quote.ts";
import {
  formatIp,
  type Ip,
  ipBits,
  isGlobalUnicast,
  isLinkLocal,
  isLoopback,
  isUnspecified,
  sameIp,
  unmapIp,
} from "#/std/net/ip.ts";
import type { Library } from "../environment.ts";
import { type FunctionDecl, member, overload } from "../model/declaration.ts";
import { boolType, type CelType, intType, opaque, stringType } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { fixedCosts, ipCosts, parseCosts } from "./costs/text-costs.ts";
import { IpError, parseAddress } from "./values/ip-address.ts";

/** The type of addresses. */
export const ipType: CelType = opaque("net.IP");

/** An address in an expression. */
export class IpValue extends CelObject {
  override readonly type: CelType = ipType;
  readonly ip: Ip;

  constructor(ip: Ip) {
    super();
    this.ip = ip;
  }

  override get size(): number {
    return ipBits(this.ip.family) / 8;
  }

  override equals(other: CelValue): boolean | CelFault {
    return other instanceof IpValue ? sameIp(this.ip, other.ip) : noSuchOverload;
  }

  override toString(): string {
    return formatIp(this.ip);
  }
}

/**
 * IP addresses.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/ip.go.
 */
export const ips: Library = {
  types: [ipType],
  functions: [
    { name: "ip", overloads: [overload("string_to_ip", [stringType], ipType, toIp)], ...ipCosts },
    {
      name: "isIP",
      overloads: [
        overload("is_ip", [stringType], boolType, (text) => !(toIp(text) instanceof CelFault)),
      ],
      ...parseCosts(),
    },
    {
      name: "ip.isCanonical",
      overloads: [overload("ip_is_canonical", [stringType], boolType, isCanonical)],
      ...parseCosts(2),
    },
    {
      name: "string",
      overloads: [overload("ip_to_string", [ipType], stringType, (value) => String(value))],
    },
    accessor("family", "ip_family", intType, (ip) => BigInt(ip.family)),
    accessor("isUnspecified", "ip_is_unspecified", boolType, isUnspecified),
    accessor("isLoopback", "ip_is_loopback", boolType, isLoopback),
    accessor("isLinkLocalMulticast", "ip_is_link_local_multicast", boolType, isLinkLocalMulticast),
    accessor("isLinkLocalUnicast", "ip_is_link_local_unicast", boolType, isLinkLocal),
    accessor("isGlobalUnicast", "ip_is_global_unicast", boolType, isGlobalUnicast),
  ],
};

function accessor(
  name: string,
  id: string,
  type: CelType,
  get: (ip: Ip) => CelValue,
): FunctionDecl {
  const call = (value?: CelValue) => (value instanceof IpValue ? get(value.ip) : noSuchOverload);
  return { name, overloads: [member(id, [ipType], type, call)], ...fixedCosts(1) };
}

/** An address from its text, or a fault. */
export function toIp(text?: CelValue): CelResult {
  if (typeof text !== "string") return noSuchOverload;
  try {
    const { ip, zone } = parseAddress(text);
    if (zone !== "")
      return new CelFault(`IP address ${goQuote(text)} with zone value is not allowed`);
    if (isMapped(ip)) return mappedNotAllowed(text);
    return new IpValue(ip);
  } catch (error) {
    if (!(error instanceof IpError)) throw error;
    const why = `parse error during conversion from string: ${error.message}`;
    return new CelFault(`IP Address ${goQuote(text)} ${why}`);
  }
}

/** Whether an address is an IPv4-mapped IPv6 address. */
export const isMapped = (ip: Ip): boolean => unmapIp(ip) !== ip;

/** The fault for such an address. */
export const mappedNotAllowed = (text: string): CelFault =>
  new CelFault(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);

function isCanonical(text?: CelValue): CelResult {
  const ip = toIp(text);
  return ip instanceof IpValue ? ip.toString() === text : ip;
}

/** 224.0.0.0/24 or ff02::/16, with any flags. */
function isLinkLocalMulticast({ family, value }: Ip): boolean {
  if (family === 4) return value >> 8n === 0xe00000n;
  return value >> 120n === 0xffn && ((value >> 112n) & 0xfn) === 2n;
}
