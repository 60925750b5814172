import type { APIService, APIServiceSpec } from "#/api/apiregistration/v1.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { loopback } from "../auth/base/loopback.ts";
import type { Handler } from "../model/exchange.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { Store } from "../registry/store.ts";
import type { Decoded } from "../registry/strategy.ts";
import { builtInPriority, customPriority, type Priority } from "./priorities.ts";

const managed = "kube-aggregator.kubernetes.io/automanaged";
const url = "/apis/apiregistration.k8s.io/v1/apiservices";

/** When an APIService is reconciled: once at the start, or always. */
type Care = "onstart" | "true";

interface DesiredApi {
  readonly care: Care;
  readonly spec: APIServiceSpec;
}

interface RegisterApisOptions {
  readonly catalog: Catalog;
  readonly store: Store;
}

/**
 * Keeps an APIService for every API of this server: built-in ones are registered at the start, those of custom
 * resources as they are added and removed.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/controllers/autoregister,
 * pkg/controlplane/controller/crdregistration.
 */
export class RegisterApis {
  readonly #options: RegisterApisOptions;
  readonly #builtIn: ReadonlySet<string>;
  /** Registered before this server started: these may be of an older version of it. */
  readonly #before: ReadonlySet<string>;
  #desired: ReadonlyMap<string, DesiredApi> = new Map();

  /** To be made before custom resources are served: all resources served now are built in. */
  constructor(options: RegisterApisOptions) {
    this.#options = options;
    this.#builtIn = new Set(servedApis(options.catalog).map(nameOf));
    this.#before = new Set(
      [...options.store.cache.snapshot().items.entries()].map(([name]) => name),
    );
  }

  /** Registers all served APIs, and removes registrations of those no longer served. */
  async syncAll(handler: Handler): Promise<void> {
    this.refresh();
    await Promise.all([...this.names()].map((name) => this.sync(name, handler, true)));
  }

  /** Records the APIs served now. */
  refresh(): void {
    this.#desired = planApis(this.#options.catalog, this.#builtIn);
  }

  /** Every APIService that exists or should. */
  names(): Set<string> {
    const present = [...this.#options.store.cache.snapshot().items.entries()];
    return new Set([...this.#desired.keys(), ...present.map(([name]) => name)]);
  }

  /** Reconciles one APIService; at the start also those that are reconciled only then. */
  async sync(name: string, handler: Handler, starting = false): Promise<void> {
    const desired = this.#desired.get(name);
    if (desired?.care === "onstart" && !starting) return;
    const { store } = this.#options;
    const current = store.findCached("", name)?.parsed() as Decoded<APIService> | undefined;
    try {
      if (!current) {
        if (desired) await loopback(handler, "POST", url, apiService(name, desired));
        return;
      }
      const care = current.metadata.labels?.[managed];
      if (care !== "onstart" && care !== "true") return;
      if (care === "onstart" && !(starting && this.#before.has(name))) return;
      if (!desired) {
        const preconditions = { uid: current.metadata.uid };
        await loopback(handler, "DELETE", `${url}/${name}`, { preconditions });
      } else if (!deepEqual(current.spec, desired.spec)) {
        await loopback(handler, "PUT", `${url}/${name}`, { ...current, spec: desired.spec });
      }
    } catch (error) {
      // Conflict with another writer: its change is watched, and reconciled again.
      if (!isAlreadyExists(error) && !isConflict(error) && !isNotFound(error)) throw error;
    }
  }
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const nameOf = ({ group, version }: GroupVersion): string => `${version}.${group}`;

function servedApis(catalog: Catalog): GroupVersion[] {
  const apis = new Map<string, GroupVersion>();
  for (const { versions } of catalog.listed) {
    for (const { version } of versions.values()) apis.set(nameOf(version.handle), version.handle);
  }
  return [...apis.values()];
}

/** The desired APIServices, by name. */
function planApis(catalog: Catalog, builtIn: ReadonlySet<string>): Map<string, DesiredApi> {
  const desired = new Map<string, DesiredApi>();
  for (const api of servedApis(catalog)) {
    const own = builtIn.has(nameOf(api));
    const priority = own ? builtInPriority(api.group, api.version) : customPriority;
    if (!priority) continue;
    desired.set(nameOf(api), { care: own ? "onstart" : "true", spec: specOf(api, priority) });
  }
  return desired;
}

function specOf({ group, version }: GroupVersion, priority: Priority): APIServiceSpec {
  return {
    ...(group === "" ? {} : { group }),
    version,
    groupPriorityMinimum: priority.group,
    versionPriority: priority.version,
  };
}

function apiService(name: string, { care, spec }: DesiredApi): APIService {
  return {
    kind: "APIService",
    apiVersion: "apiregistration.k8s.io/v1",
    metadata: { name, labels: { [managed]: care } },
    spec,
  };
}
