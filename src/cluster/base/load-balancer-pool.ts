import { createHash } from "node:crypto";
import { cidrsOverlap } from "#/std/net/cidr.ts";
import { type AddressFamily, parsedCidrs } from "./address-families.ts";
import { defaultClusterName } from "./paths.ts";

/** Number of pools in 198.18.0.0/15, a range for tests of networks that no network has. */
const poolCount = 512;

/** The addresses of load balancers of the machine's first cluster. */
export const defaultPool = "198.18.0.0/24";

/** The pools of IPv6 are parts of this one: of a range for private networks, with a number that is ours. */
const ipv6Pool = (part: number): string =>
  `fd6b:3874:7301:${part === 0 ? "" : part.toString(16)}`.replace(/:?$/, "::/112");

/** The pools of load balancers of a cluster on this machine, separated by a comma. */
export interface ClusterPool {
  readonly cluster: string;
  readonly pool: string;
}

/** Whether two pools have addresses in common. */
export function poolsOverlap(a: string, b: string): boolean {
  const others = parsedCidrs(b);
  return parsedCidrs(a).some((cidr) => others.some((other) => cidrsOverlap(cidr, other)));
}

/** The pools of a cluster: computed from its name, and the next ones as long as others of the machine have them. */
export function choosePool(
  cluster: string,
  families: readonly AddressFamily[],
  taken: readonly string[] = [],
): string {
  const pools = (index: number): string =>
    families.map((family) => (family === 4 ? ipv4Pool(index) : ipv6Pool(index))).join(",");
  if (cluster === defaultClusterName) return pools(0);
  const hash = createHash("sha256").update(`load balancers of ${cluster}`).digest();
  const start = hash.readUInt16BE(0);
  const candidates = Array.from({ length: poolCount - 1 }, (_, step) =>
    pools(1 + ((start + step) % (poolCount - 1))),
  );
  return (
    candidates.find((pool) => !taken.some((one) => poolsOverlap(one, pool))) ??
    pools(1 + (start % (poolCount - 1)))
  );
}

const ipv4Pool = (index: number): string => `198.${18 + (index >> 8)}.${index & 255}.0/24`;
