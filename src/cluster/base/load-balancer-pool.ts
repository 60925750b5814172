import { createHash } from "node:crypto";
import { cidrsOverlap, parseCidr } from "#/std/net/cidr.ts";
import { defaultClusterName } from "./paths.ts";

/** Number of pools in 198.18.0.0/15, a range for tests of networks that no network has. */
const poolCount = 512;

/** The addresses of load balancers of the machine's first cluster. */
export const defaultPool = "198.18.0.0/24";

/** The pool of load balancers of a cluster on this machine. */
export interface ClusterPool {
  readonly cluster: string;
  readonly pool: string;
}

/** Whether two pools have addresses in common. */
export function poolsOverlap(a: string, b: string): boolean {
  const [first, second] = [parseCidr(a), parseCidr(b)];
  return first !== undefined && second !== undefined && cidrsOverlap(first, second);
}

/** The pool of a cluster: computed from its name, and the next one as long as others of the machine have it. */
export function choosePool(cluster: string, taken: readonly string[] = []): string {
  if (cluster === defaultClusterName) return defaultPool;
  const hash = createHash("sha256").update(`load balancers of ${cluster}`).digest();
  const start = hash.readUInt16BE(0);
  const candidates = Array.from({ length: poolCount - 1 }, (_, step) =>
    poolAt(1 + ((start + step) % (poolCount - 1))),
  );
  return (
    candidates.find((pool) => !taken.some((one) => poolsOverlap(one, pool))) ??
    poolAt(1 + (start % (poolCount - 1)))
  );
}

const poolAt = (index: number): string => `198.${18 + (index >> 8)}.${index & 255}.0/24`;
