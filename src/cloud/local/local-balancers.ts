import { type LoadBalancerStatus, type Service, services } from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { keyOf } from "#/client/object-key.ts";
import type { CloudAction } from "../base/action.ts";
import type { LoadBalancerGoal, LoadBalancers } from "../base/provider.ts";
import type { AddressPool } from "./address-pool.ts";
import { addressesOf, ingressOf, planServiceAddresses } from "./plan-addresses.ts";

/** Load balancers of a cluster without a cloud: addresses of a pool; the proxy on each node balances. */
export class LocalBalancers implements LoadBalancers {
  readonly loadBalancerClass = "k8ts.dev/local";
  readonly #pool: AddressPool;
  readonly #informers: Informers;
  /** Addresses that were given: a status is written later, and another Service may be planned before. */
  readonly #reserved = new Map<string, readonly string[]>();

  constructor(pool: AddressPool, informers: Informers) {
    this.#pool = pool;
    this.#informers = informers;
  }

  name({ service }: LoadBalancerGoal): string {
    return keyOf(service);
  }

  async find({ service }: LoadBalancerGoal): Promise<LoadBalancerStatus | undefined> {
    const addresses = this.#reserved.get(keyOf(service)) ?? addressesOf(service);
    return addresses.length === 0 ? undefined : { ingress: ingressOf(addresses) };
  }

  async ensure({ service }: LoadBalancerGoal): Promise<LoadBalancerStatus> {
    const addresses = this.#plan(service);
    this.#reserved.set(keyOf(service), addresses);
    return { ingress: ingressOf(addresses) };
  }

  async updateNodes(): Promise<void> {
    // The proxy knows the nodes.
  }

  async remove({ service }: LoadBalancerGoal): Promise<void> {
    this.#reserved.delete(keyOf(service));
  }

  /** Whether a Service is one of those that get addresses here. */
  balances({ spec, metadata }: Service): boolean {
    const loadBalancerClass = spec?.loadBalancerClass ?? this.loadBalancerClass;
    return (
      spec?.type === "LoadBalancer" &&
      loadBalancerClass === this.loadBalancerClass &&
      metadata.deletionTimestamp === undefined
    );
  }

  /** Why a Service can't have an address now; undefined if it can, or is to have none. */
  problemOf(service: Service): string | undefined {
    if (!this.balances(service)) return undefined;
    try {
      this.#plan(service);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async plan({ service }: LoadBalancerGoal, verb: "ensure" | "remove"): Promise<CloudAction[]> {
    const has = addressesOf(service);
    const wants = verb === "ensure" ? this.#plan(service) : [];
    const of = `addresses of Service ${keyOf(service)}`;
    const action = (call: string) => (ip: string) => ({ call, params: { ip }, of });
    return [
      ...has.filter((ip) => !wants.includes(ip)).map(action("local:ReleaseAddress")),
      ...wants.filter((ip) => !has.includes(ip)).map(action("local:AssignAddress")),
    ];
  }

  #plan(service: Service): string[] {
    const all = this.#informers.informer(services).store.list();
    const balanced = all.filter(
      ({ spec }) =>
        spec?.type === "LoadBalancer" &&
        (spec.loadBalancerClass === undefined || spec.loadBalancerClass === this.loadBalancerClass),
    );
    const state = { pool: this.#pool, services: balanced, reserved: this.#reserved };
    return planServiceAddresses(service, state);
  }
}
