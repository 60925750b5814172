import { nextTurn } from "#/std/time/clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Routing } from "./routing.ts";
import type { RuleAddresses } from "./rule-options.ts";
import type { ServicePort } from "./service-port.ts";

/** A service port and its routing. */
export interface RoutedPort {
  readonly port: ServicePort;
  readonly routing: Routing;
  /** All of its endpoints, usable or not. */
  readonly endpoints: readonly Endpoint[];
}

/** A change to write to the kernel. */
export interface SyncRequest {
  /** Whether to write everything, whatever the kernel has; `services` then has all of them. */
  readonly full: boolean;
  /** Changed services by `namespace/name`; without ports the service is deleted. Iterable once. */
  readonly services: Iterable<readonly [string, readonly RoutedPort[]]>;
  /** Looked up when called: on a node with thousands of addresses that takes a while. */
  addresses(): RuleAddresses;
  /** Number of endpoints of all service ports: a measure of the cluster's size. */
  readonly totalEndpoints: number;
}

/** Programs the kernel for one address family. After a failure the next request must be full. */
export interface Backend {
  sync(request: SyncRequest): Promise<void>;
  /** Whether another program has removed our rules. */
  removed(): Promise<boolean>;
  /** Whether a reported removal (see FollowRemovals) may affect our rules. */
  isConcerned(removal: string): boolean;
  /** Removes what is kept only while connections use it; called from time to time. */
  removeIdle?(): Promise<void>;
}

/** Services processed in one turn of the event loop: a few milliseconds. */
const servicesPerTurn = 50;

/** The services of a request, with a turn of the event loop after every servicesPerTurn. */
export async function* paced(
  services: SyncRequest["services"],
): AsyncGenerator<readonly [string, readonly RoutedPort[]]> {
  let count = 0;
  for (const service of services) {
    yield service;
    if (++count % servicesPerTurn === 0) await nextTurn();
  }
}
