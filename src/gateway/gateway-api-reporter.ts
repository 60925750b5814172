import type { Resource } from "#/api/base/resource.ts";
import { services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import type { Condition, ObjectMeta } from "#/api/meta/v1.ts";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { GatewayAddress, Route } from "./api/gateway-objects.ts";
import {
  backendTlsPolicies,
  gatewayClasses,
  gateways,
  grpcRoutes,
  httpRoutes,
  listenerSets,
  tlsRoutes,
} from "./api/gateway-resources.ts";
import type { GatewayPorts } from "./gateway-ports.ts";
import type { GatewayState } from "./gateway-state.ts";
import { controllerName } from "./ingress/plan-ingresses.ts";
import { planGatewayService, planGatewaySlice, serviceNameOf } from "./plan-gateway-service.ts";
import { ReportLoop } from "./report-loop.ts";
import type { ServedGateway } from "./routes/plan-gateway-api.ts";
import {
  classStatus,
  gatewayStatus,
  hasParents,
  listenerSetStatus,
  routeParents,
} from "./routes/plan-status.ts";
import { policyAncestors } from "./routes/policy-status.ts";

interface ReporterOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly state: GatewayState;
  readonly ports: GatewayPorts;
  /** The address at which gateways listen; empty: their Services are made by others. */
  readonly publishAddress: string;
  readonly nodeName: string;
}

/** The class that users find when they install the Gateway API. */
const className = "k8ts";
/** Limit of writes at once (count). */
const maxWrites = 8;
const routeResources: readonly Resource<Route>[] = [httpRoutes, grpcRoutes, tlsRoutes];

/** An object with its status as it should be. */
interface Wanted {
  readonly resource: Resource;
  readonly object: { readonly metadata: ObjectMeta; readonly status?: object };
  readonly status: object;
}

/** Writes the state of gateways and routes into their status, and makes the Services with the addresses of gateways. */
export class GatewayApiReporter {
  readonly #options: ReporterOptions;
  readonly #loop: ReportLoop;
  #hasClass = false;
  /** The digest of the Service and slice that were written last, by gateway. Bounded by the gateways. */
  readonly #published = new Map<string, string>();

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { clock, log } = options;
    const report = (): Promise<void> => this.#report();
    this.#loop = new ReportLoop({ clock, log, subject: "gateways and routes", report });
  }

  /** Reports soon, as there is another plan. */
  get changed(): () => void {
    return this.#loop.changed;
  }

  /** Reports until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #report(): Promise<void> {
    const { state, publishAddress } = this.#options;
    const failures: unknown[] = [];
    const failed = (error: unknown): void => void failures.push(error);
    const served = state.apiPlan.gateways;
    await this.#createClass();
    if (publishAddress) {
      await forEachParallel(served, maxWrites, (one) => this.#publish(one), failed);
    }
    await forEachParallel(this.#wanted(), maxWrites, (one) => this.#write(one), failed);
    if (failures.length > 0) throw failures[0];
  }

  /** Creates the class when the Gateway API has been installed; who deletes it does not get it back. */
  async #createClass(): Promise<void> {
    const { state, client } = this.#options;
    const resource = state.api.served(gatewayClasses);
    if (!resource) this.#hasClass = false;
    if (!resource || this.#hasClass) return;
    if (state.apiPlan.classes.length === 0) {
      const created = { metadata: { name: className }, spec: { controllerName } };
      const { kind } = resource;
      const apiVersion = `${resource.group}/${resource.version}`;
      await client.create(resource, { apiVersion, kind, ...created }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    this.#hasClass = true;
  }

  /** Makes the Service of a gateway, and its endpoints. */
  async #publish({ gateway, ports }: ServedGateway): Promise<void> {
    const { client, ports: open, publishAddress, nodeName } = this.#options;
    const { namespace = "", name = "" } = gateway.metadata;
    const key = `${namespace}/${name}`;
    const bound = open.boundPorts(key, ports);
    if (bound.size === 0 || gateway.metadata.deletionTimestamp) return;
    const place = { address: publishAddress, nodeName, ports: bound };
    const service = planGatewayService(gateway, place);
    const slice = planGatewaySlice(gateway, place);
    const digest = JSON.stringify([service, slice]);
    const isThere = this.#options.state.service(`${namespace}/${serviceNameOf(gateway)}`);
    if (isThere && this.#published.get(key) === digest) return;
    const ref = { namespace, name: serviceNameOf(gateway) };
    const options = { type: "apply", fieldManager: "k8ts-gateway", force: true } as const;
    await client.patch(services, ref, service, options);
    await client.patch(endpointSlices, ref, slice, options);
    this.#published.set(key, digest);
  }

  #wanted(): Wanted[] {
    const { state, clock } = this.#options;
    const { api, apiPlan } = state;
    const nowMs = clock.now();
    const wanted: Wanted[] = [];
    const add = (
      resource: Resource | undefined,
      object: Wanted["object"],
      status: object,
    ): void => {
      if (resource) wanted.push({ resource, object, status });
    };
    for (const one of apiPlan.classes) {
      add(api.served(gatewayClasses), one, classStatus(one, nowMs));
    }
    for (const one of apiPlan.gateways) {
      const status = gatewayStatus(one, this.#addressesOf(one), nowMs);
      add(api.served(gateways), one.gateway, status);
      for (const set of one.sets) {
        add(api.served(listenerSets), set.set, listenerSetStatus(set, one, status, nowMs));
      }
    }
    for (const one of apiPlan.backendTls.policies) {
      const ancestors = policyAncestors(one, apiPlan.usedBy, controllerName, nowMs);
      const { status } = one.policy;
      if (status || ancestors.length > 0)
        add(api.served(backendTlsPolicies), one.policy, { ancestors });
    }
    const ours = new Set<unknown>(apiPlan.routes.map(({ route }) => route));
    const resources = new Map(routeResources.map((one) => [one.kind, one]));
    for (const one of apiPlan.routes) {
      const resource = resources.get(one.kind);
      const parents = routeParents(one, controllerName, nowMs);
      add(resource && api.served(resource), one.route, { parents });
    }
    for (const resource of routeResources) {
      for (const route of api.list(resource)) {
        if (ours.has(route) || !hasParents(route, controllerName)) continue;
        const parents = route.status?.parents?.filter(
          (one) => one.controllerName !== controllerName,
        );
        add(api.served(resource), route, { parents });
      }
    }
    return wanted.filter(({ object, status }) => !contains(object.status, status));
  }

  async #write({ resource, object, status }: Wanted): Promise<void> {
    const { namespace, name = "", resourceVersion } = object.metadata;
    const patch = { metadata: { resourceVersion }, status };
    try {
      await this.#options.client.patchStatus(resource, { namespace, name }, patch);
      this.#recordProblems(resource, object, status);
    } catch (error) {
      // It has changed meanwhile: the change is planned, and reported then.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  /** An event for each condition that has become false. */
  #recordProblems(resource: Resource, object: Wanted["object"], status: object): void {
    const before = new Set(problemsOf(object.status).map(({ message }) => message));
    const { kind } = resource;
    const apiVersion = `${resource.group}/${resource.version}`;
    for (const { reason, message } of problemsOf(status)) {
      if (before.has(message)) continue;
      this.#options.recorder.event({ ...object, kind, apiVersion }, "Warning", reason, message);
      before.add(message);
    }
  }

  #addressesOf({ gateway }: ServedGateway): GatewayAddress[] {
    const { namespace = "" } = gateway.metadata;
    const service = this.#options.state.service(`${namespace}/${serviceNameOf(gateway)}`);
    return (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => {
      if (ip) return { type: "IPAddress", value: ip };
      return hostname ? { type: "Hostname", value: hostname } : [];
    });
  }
}

/** Whether a status has all fields of another one as they are there. */
function contains(status: object | undefined, wanted: object): boolean {
  const fields = (status ?? {}) as Record<string, unknown>;
  return Object.entries(wanted).every(([name, value]) => {
    const found = fields[name];
    const isEmpty = Array.isArray(value) && value.length === 0 && found === undefined;
    return isEmpty ? name !== "parents" && name !== "ancestors" : deepEqual(found, value);
  });
}

interface AnyStatus {
  readonly conditions?: readonly Condition[];
  readonly listeners?: readonly { readonly conditions: readonly Condition[] }[];
  readonly parents?: readonly OwnedConditions[];
  readonly ancestors?: readonly OwnedConditions[];
}

interface OwnedConditions {
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

/** The conditions of a status that name a deficiency of the object. */
function problemsOf(status: object | undefined): Condition[] {
  const known = (status ?? {}) as AnyStatus;
  const { conditions = [], listeners = [], parents = [], ancestors = [] } = known;
  const own = [...parents, ...ancestors].filter((one) => one.controllerName === controllerName);
  const all = [...conditions, ...[...listeners, ...own].flatMap((one) => one.conditions)];
  return all.filter(
    ({ type, status: is }) => (type === "Accepted" || type === "ResolvedRefs") && is === "False",
  );
}
