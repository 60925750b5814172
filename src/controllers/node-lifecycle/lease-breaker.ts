/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (NodeControllerLeaseCircuitBreaker). */
import { leases } from "#/api/coordination/v1.ts";
import { compareVersions } from "#/client/resource-version.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

type Context = ControllerContext<ManagerOptions>;

/** The namespace of nodes' leases. */
export const leaseNamespace = "kube-node-lease";

/**
 * Stops the monitor while the cache of leases is stale: a stuck watch looks as if all nodes were
 * silent.
 */
export class LeaseBreaker {
  /** A version that the cache lacks; undefined if none is known. */
  #missing: string | undefined;

  /** Whether the cache is at least as new as each lease that was read. */
  isClosed({ informers }: Context): boolean {
    if (this.#missing === undefined) return true;
    const missing = this.#missing;
    const caches = [...informers.seeing(leases, leaseNamespace)].map(({ cache }) => cache);
    const isCurrent = caches.every(({ version }) => compareVersions(version, missing) >= 0);
    if (isCurrent) this.#missing = undefined;
    return isCurrent;
  }

  /** Whether the server has no newer lease of a node than the observed one. */
  async isExpired(node: string, observed: string, { client, options }: Context): Promise<boolean> {
    if (!options.enabled("NodeControllerLeaseCircuitBreaker")) return true;
    const ref = { name: node, namespace: leaseNamespace };
    const live = await client.get(leases, ref).catch(ignoreNotFound);
    const version = live?.metadata.resourceVersion;
    if (version === undefined || version === observed) return true;
    this.#missing = version;
    return false;
  }
}
