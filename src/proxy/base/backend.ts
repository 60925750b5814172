import { nextTurn } from "#/std/time/clock.ts";
import type { Routing } from "./routing.ts";
import type { RuleSurroundings } from "./rule-options.ts";
import type { ServicePort } from "./service-port.ts";

/** A service port and where its traffic goes. */
export interface RoutedPort {
  readonly port: ServicePort;
  readonly routing: Routing;
}

/** What to bring into the kernel. */
export interface SyncRequest {
  /** Whether to write everything, whatever the kernel has; `services` is then all of them. */
  readonly full: boolean;
  /** Changed services by `namespace/name`; no ports: the service is gone. To be read once. */
  readonly services: Iterable<readonly [string, readonly RoutedPort[]]>;
  readonly around: RuleSurroundings;
  /** Of all service ports together, a measure of the cluster's size. */
  readonly totalEndpoints: number;
}

/** Programs the kernel for one address family. After a failure the next request must be full. */
export interface Backend {
  sync(request: SyncRequest): Promise<void>;
  /** Whether another program has removed our rules. */
  removed(): Promise<boolean>;
  /** Whether a report of a removal (see FollowRemovals) may be about our rules. */
  isConcerned(removal: string): boolean;
}

/** How many services are worked on before everything else has its turn: a few milliseconds. */
const servicesPerTurn = 50;

/** The services of a request, in a pace that holds up nothing else. */
export async function* paced(
  services: SyncRequest["services"],
): AsyncGenerator<readonly [string, readonly RoutedPort[]]> {
  let count = 0;
  for (const service of services) {
    yield service;
    if (++count % servicesPerTurn === 0) await nextTurn();
  }
}
