import { goQuote } from "#/std/go/go-quote.ts";
import { type Cidr, cidrContains, cidrsOverlap, formatCidr, network } from "#/std/net/cidr.ts";
import { ipBits, sameIp } from "#/std/net/ip.ts";
import type { Library } from "../environment.ts";
import { type FunctionDecl, member, overload } from "../model/declaration.ts";
import { boolType, type CelType, intType, opaque, stringType } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { containmentCosts } from "./costs/containment-costs.ts";
import { fixedCosts, parseCosts } from "./costs/text-costs.ts";
import { IpValue, ipType, isMapped, mappedNotAllowed, toIp } from "./ips.ts";
import { IpError, parseAddress } from "./values/ip-address.ts";

const cidrType: CelType = opaque("net.CIDR");

class CidrValue extends CelObject {
  override readonly type: CelType = cidrType;
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    super();
    this.cidr = cidr;
  }

  override get size(): number {
    return Math.ceil(this.cidr.prefixLength / 8);
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof CidrValue)) return noSuchOverload;
    const { ip, prefixLength } = other.cidr;
    return sameIp(this.cidr.ip, ip) && this.cidr.prefixLength === prefixLength;
  }

  override toString(): string {
    return formatCidr(this.cidr);
  }
}

/**
 * Networks.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/cidr.go.
 */
export const cidrs: Library = {
  types: [cidrType],
  functions: [
    {
      name: "cidr",
      overloads: [overload("string_to_cidr", [stringType], cidrType, toCidr)],
      ...parseCosts(),
    },
    {
      name: "isCIDR",
      overloads: [
        overload("is_cidr", [stringType], boolType, (text) => !(toCidr(text) instanceof CelFault)),
      ],
      ...parseCosts(),
    },
    {
      name: "containsIP",
      overloads: [
        member("cidr_contains_ip_string", [cidrType, stringType], boolType, (cidr, text) =>
          containsIp(cidr, toIp(text)),
        ),
        member("cidr_contains_ip_ip", [cidrType, ipType], boolType, containsIp),
      ],
      ...containmentCosts("cidr_contains_ip_string", 0),
    },
    {
      name: "containsCIDR",
      overloads: [
        member("cidr_contains_cidr_string", [cidrType, stringType], boolType, (cidr, text) =>
          containsCidr(cidr, toCidr(text)),
        ),
        member("cidr_contains_cidr", [cidrType, cidrType], boolType, containsCidr),
      ],
      ...containmentCosts("cidr_contains_cidr_string", 1),
    },
    accessor("ip", "cidr_ip", ipType, ({ ip }) => new IpValue(ip), false),
    accessor("prefixLength", "cidr_prefix_length", intType, (cidr) => BigInt(cidr.prefixLength)),
    accessor("masked", "cidr_masked", cidrType, (cidr) => new CidrValue(network(cidr))),
    {
      name: "string",
      overloads: [overload("cidr_to_string", [cidrType], stringType, (value) => String(value))],
    },
  ],
};

function accessor(
  name: string,
  id: string,
  type: CelType,
  get: (cidr: Cidr) => CelValue,
  cheap = true,
): FunctionDecl {
  const call = (value?: CelValue) =>
    value instanceof CidrValue ? get(value.cidr) : noSuchOverload;
  return { name, overloads: [member(id, [cidrType], type, call)], ...(cheap && fixedCosts(1)) };
}

const conversion = "network address parse error during conversion from string: ";

function toCidr(text?: CelValue): CelResult {
  if (typeof text !== "string") return noSuchOverload;
  const cidr = parsePrefix(text);
  if (typeof cidr === "string") {
    const why = `netip.ParsePrefix(${goQuote(text)}): ${cidr}`;
    return new CelFault(`${conversion}${conversion}${why}`);
  }
  if (isMapped(cidr.ip)) return new CelFault(conversion + mappedNotAllowed(text).message);
  return new CidrValue(cidr);
}

/** A network from its text, or the error message. Upstream: Go's netip.ParsePrefix. */
function parsePrefix(text: string): Cidr | string {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return "no '/'";
  try {
    const { ip, zone } = parseAddress(text.slice(0, slash));
    if (zone !== "") return "IPv6 zones cannot be present in a prefix";
    const bits = text.slice(slash + 1);
    if (!/^(?:\d|[1-9]\d*)$/.test(bits)) return `bad bits after slash: ${goQuote(bits)}`;
    const prefixLength = Number(bits);
    return prefixLength > ipBits(ip.family) ? "prefix length out of range" : { ip, prefixLength };
  } catch (error) {
    if (error instanceof IpError) return error.message;
    throw error;
  }
}

function containsIp(cidr?: CelValue, ip?: CelResult): CelResult {
  if (!(cidr instanceof CidrValue)) return noSuchOverload;
  if (!(ip instanceof IpValue)) return noSuchOverload;
  return cidrContains(cidr.cidr, ip.ip);
}

function containsCidr(cidr?: CelValue, other?: CelResult): CelResult {
  if (!(cidr instanceof CidrValue)) return noSuchOverload;
  if (!(other instanceof CidrValue)) return other instanceof CelFault ? other : noSuchOverload;
  const { prefixLength } = cidr.cidr;
  return prefixLength <= other.cidr.prefixLength && cidrsOverlap(cidr.cidr, other.cidr);
}
