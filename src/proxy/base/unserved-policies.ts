import type { RoutedPort } from "./backend.ts";
import type { ProxyMode } from "./metrics.ts";
import { usesLocalEndpoints } from "./service-port.ts";

/** Numbers by the traffic policy that is Local. */
interface PolicyCounts {
  readonly internal: number;
  readonly external: number;
}

/**
 * Counts what a policy Local leaves without endpoints on this node, while other nodes have some: ports
 * of services, and in mode ipvs services. Upstream: syncProxyRules of each mode.
 */
export class UnservedPolicies {
  readonly #mode: ProxyMode;
  readonly #byService = new Map<string, PolicyCounts>();

  constructor(mode: ProxyMode) {
    this.#mode = mode;
  }

  clear(): void {
    this.#byService.clear();
  }

  /** Replaces what is known of a service; without ports it is deleted. */
  set(key: string, ports: readonly RoutedPort[]): void {
    const found = ports.filter(({ routing }) => routing.hasEndpoints);
    const internal = found.filter(({ routing }) => !routing.hasInternal);
    const external = found.filter(({ routing }) => !routing.hasExternal);
    // Mode ipvs misses endpoints only where it makes a virtual server for local ones.
    const counts =
      this.#mode === "ipvs"
        ? [internal, external.filter(({ port }) => usesLocalEndpoints(port))].map((each) =>
            Math.min(each.length, 1),
          )
        : [internal.length, external.length];
    const [inside = 0, outside = 0] = counts;
    if (inside + outside > 0) this.#byService.set(key, { internal: inside, external: outside });
    else this.#byService.delete(key);
  }

  total(): PolicyCounts {
    let [internal, external] = [0, 0];
    for (const counts of this.#byService.values()) {
      internal += counts.internal;
      external += counts.external;
    }
    return { internal, external };
  }
}
