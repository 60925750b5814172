import { type Endpoints, endpoints, namespaces, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { flowSchemas, priorityLevelConfigurations } from "#/api/flowcontrol/v1.ts";
import { type ServiceCIDR, serviceCIDRs } from "#/api/networking/v1.ts";
import { priorityClasses } from "#/api/scheduling/v1.ts";
import { isAlreadyExists, isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Cidr } from "#/std/net/cidr.ts";
import type { ResourceName } from "../model/resource-name.ts";
import type { Registry } from "../registry/registry.ts";
import { setDefaults } from "../registry/set-defaults.ts";
import type { ApiObject } from "../registry/strategy.ts";
import { systemContext } from "../registry/system-context.ts";
import { listLeases, removeLease, renewLease, watchLeases } from "./api-server-leases.ts";
import { defaultServiceCidrName, planDefaultServiceCidr } from "./default-service-cidr.ts";
import { bootstrapFlowSchemas, bootstrapPriorityLevels, isKeptUpToDate } from "./flow-control.ts";
import { planEndpointSlice, planEndpoints } from "./kubernetes-endpoints.ts";
import { kubernetesServiceName, planKubernetesService } from "./kubernetes-service.ts";
import { systemPriorityClasses } from "./priority-classes.ts";
import { systemNamespaces } from "./system-namespaces.ts";

interface BootstrapOptions {
  readonly registry: Registry;
  readonly log: Logger;
  /** --service-cluster-ip-range, as strings and as networks. */
  readonly serviceCidrs: readonly string[];
  readonly serviceNetwork: Cidr;
  readonly securePort: number;
  /** --kubernetes-service-node-port. */
  readonly nodePort: number;
  /** Address of this server for clients in the cluster. */
  readonly advertiseAddress: string;
}

/** Renewal interval of the lease, shorter than its TTL. */
const renewMs = 10_000;
/** Retry delay after a failed watch of the store. */
const retryMs = 1_000;

/**
 * The objects that every cluster has from the start, maintained by the API server itself. Upstream:
 * pkg/controlplane/instance.go.
 */
export class Bootstrap {
  readonly #options: BootstrapOptions;

  constructor(options: BootstrapOptions) {
    this.#options = options;
  }

  /** Creates missing objects, once: independent ones concurrently, so that the store writes them together. */
  async run(): Promise<void> {
    await Promise.all(systemNamespaces().map((one) => this.#ensure(namespaces, one)));
    await Promise.all([
      ...systemPriorityClasses().map((one) => this.#ensure(priorityClasses, one)),
      ...this.#flowControl(),
      this.#serviceCidr().then(() => this.#kubernetesService()),
    ]);
  }

  #flowControl(): Promise<void>[] {
    const desired = [
      ...bootstrapPriorityLevels().map((object) => ({
        resource: priorityLevelConfigurations,
        object,
      })),
      ...bootstrapFlowSchemas().map((object) => ({ resource: flowSchemas, object })),
    ];
    return desired.map(async ({ resource, object }) => {
      const store = this.#options.registry.store(resource);
      const found = store.findCached("", object.metadata.name ?? "")?.parsed();
      const current = found as unknown as typeof object | undefined;
      if (current && (!isKeptUpToDate(current) || deepEqual(current.spec, object.spec))) return;
      await this.#write(resource, object);
    });
  }

  /** Keeps the endpoints of the `kubernetes` Service equal to the live servers, until the signal aborts. */
  async keepEndpoints(signal: AbortSignal): Promise<void> {
    const { registry, advertiseAddress, log } = this.#options;
    const quietly = (work: Promise<void>) =>
      work.catch((error: unknown) =>
        log.error(error, "failed to update endpoints of Service kubernetes"),
      );
    const renew = () => renewLease(registry.storage, advertiseAddress);
    // A lease of this or another server was added or removed, or another client changed the objects.
    const changed = () => void quietly(this.#endpoints());
    const scope = { keyPrefix: `default/${kubernetesServiceName}` };
    using _endpoints = registry.store(endpoints).cache.subscribe({ scope, deliver: changed });
    using _slices = registry.store(endpointSlices).cache.subscribe({ scope, deliver: changed });
    using _timer = registry.clock.every(renewMs, () => void quietly(renew()));
    await quietly(renew().then(() => this.#endpoints()));
    while (!signal.aborted) {
      await quietly(watchLeases(registry.storage, changed, signal));
      if (!signal.aborted) await registry.clock.sleep(retryMs, signal).catch(() => undefined);
    }
    await removeLease(registry.storage, advertiseAddress);
  }

  async #serviceCidr(): Promise<void> {
    const { registry, serviceCidrs, log } = this.#options;
    // First the creation, then the Ready condition of the new object.
    for (let step = 0; step < 2; step++) {
      const current = registry.store(serviceCIDRs).findCached("", defaultServiceCidrName);
      const plan = planDefaultServiceCidr(
        serviceCidrs,
        current?.parsed() as ServiceCIDR | undefined,
        registry.clock.now(),
      );
      if (plan.do === "nothing") return;
      if (plan.do === "warn") return log.warning(plan.message);
      await this.#write(serviceCIDRs, plan.object);
    }
  }

  async #kubernetesService(): Promise<void> {
    const { registry, serviceNetwork, securePort, nodePort } = this.#options;
    const current = registry.store(services).findCached("default", kubernetesServiceName);
    const options = { network: serviceNetwork, securePort, nodePort };
    const service = planKubernetesService(options, current?.parsed() as Service | undefined);
    if (service) await this.#write(services, service);
  }

  async #endpoints(): Promise<void> {
    const { registry, securePort } = this.#options;
    const addresses = { ips: await listLeases(registry.storage), port: securePort };
    const find = (resource: ResourceName) =>
      registry.store(resource).findCached("default", kubernetesServiceName)?.parsed();
    const legacy = planEndpoints(addresses, find(endpoints) as Endpoints | undefined);
    if (legacy) await this.#write(endpoints, legacy);
    const slice = planEndpointSlice(addresses, find(endpointSlices) as EndpointSlice | undefined);
    if (slice) await this.#write(endpointSlices, slice);
  }

  async #ensure(resource: ResourceName, object: object): Promise<void> {
    const { metadata } = object as ApiObject;
    const store = this.#options.registry.store(resource);
    if (!store.findCached(metadata.namespace ?? "", metadata.name ?? ""))
      await this.#write(resource, object);
  }

  /** Creates or replaces an object as the server itself. */
  async #write(resource: ResourceName, object: object): Promise<void> {
    const store = this.#options.registry.store(resource);
    const desired = structuredClone(object) as ApiObject;
    const context = systemContext(
      this.#options.registry,
      () => false,
      desired.metadata.namespace ?? "",
    );
    setDefaults(store.declaration, desired);
    const validate = () => undefined;
    try {
      await store.update(
        {
          name: desired.metadata.name ?? "",
          transform: () => structuredClone(desired),
          validateCreate: validate,
          validateUpdate: validate,
        },
        context,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await store.create(desired, validate, context).catch((failure: unknown) => {
        if (!isAlreadyExists(failure)) throw failure;
      });
    }
  }
}
