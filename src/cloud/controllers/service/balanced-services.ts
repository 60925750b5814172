import type { Node, Service } from "#/api/core/v1.ts";

/** What has happened to a Service since the start of its last sync. */
interface Progress {
  /** The Service that its load balancer was made for; undefined during a sync and after one that failed. */
  ensured: Service | undefined;
  /** True if the next sync must compare the whole load balancer. */
  isOutdated: boolean;
  haveEndpointsChanged: boolean;
}

/** The Services that have, or had, a load balancer, and the nodes that each was given last. */
export class BalancedServices {
  readonly #services = new Map<string, Service>();
  readonly #nodes = new Map<string, readonly Node[]>();
  readonly #progress = new Map<string, Progress>();

  find(key: string): Service | undefined {
    return this.#services.get(key);
  }

  set(key: string, service: Service): void {
    this.#services.set(key, service);
  }

  delete(key: string): void {
    this.#services.delete(key);
    this.#nodes.delete(key);
    this.#progress.delete(key);
  }

  all(): readonly Service[] {
    return [...this.#services.values()];
  }

  nodesOf(key: string): readonly Node[] {
    return this.#nodes.get(key) ?? [];
  }

  setNodes(key: string, nodes: readonly Node[]): void {
    this.#nodes.set(key, nodes);
  }

  /** Starts a sync. Returns the Service that the load balancer was made for, if only its endpoints may differ. */
  begin(key: string): Service | undefined {
    const before = this.#progress.get(key);
    const fresh = { ensured: undefined, isOutdated: false, haveEndpointsChanged: false };
    this.#progress.set(key, fresh);
    return before?.isOutdated ? undefined : before?.ensured;
  }

  /** Ends a sync that succeeded. Returns whether endpoints have changed since its start. */
  finish(key: string, service: Service): boolean {
    const progress = this.#progress.get(key);
    if (!progress) return false;
    progress.ensured = service;
    return progress.haveEndpointsChanged;
  }

  /** Makes the next sync compare the whole load balancer. */
  outdate(key: string): void {
    const progress = this.#progress.get(key);
    if (progress) progress.isOutdated = true;
  }

  /**
   * Notes that endpoints have changed. Returns whether a sync must be added: one that runs, or that is retried later,
   * takes the change into account.
   */
  noteEndpoints(key: string): boolean {
    const progress = this.#progress.get(key);
    if (!progress) return false;
    progress.haveEndpointsChanged = true;
    return progress.ensured !== undefined;
  }
}
