import type { BackendRef } from "../table/route-target.ts";
import {
  type Endpoint,
  type Resolution,
  resolveBackend,
  type ServiceLookup,
} from "./resolve-backend.ts";

/** A backend with its endpoints in turn. */
interface Known {
  readonly resolution: Resolution;
  next: number;
}

/** Resolves backends once until their Service changes. */
export class Backends {
  readonly #lookup: ServiceLookup;
  /** By "namespace/name" of the Service, then by port. Bounded by the backends of routes. */
  readonly #known = new Map<string, Map<number | string, Known>>();

  constructor(lookup: ServiceLookup) {
    this.#lookup = lookup;
  }

  /** Forgets a Service that has changed, by "namespace/name". */
  changed(service: string): void {
    this.#known.delete(service);
  }

  resolve(backend: BackendRef): Resolution {
    return this.#find(backend).resolution;
  }

  /** The endpoints of a backend, the next one in turn first; empty if there are none. */
  choose(backend: BackendRef): readonly Endpoint[] {
    const known = this.#find(backend);
    if (!("endpoints" in known.resolution)) return [];
    const { endpoints } = known.resolution;
    const first = known.next % endpoints.length;
    known.next = first + 1;
    return first === 0 ? endpoints : [...endpoints.slice(first), ...endpoints.slice(0, first)];
  }

  #find(backend: BackendRef): Known {
    const key = `${backend.namespace}/${backend.service}`;
    const ports = this.#known.get(key) ?? new Map<number | string, Known>();
    this.#known.set(key, ports);
    const found = ports.get(backend.port);
    if (found) return found;
    const known = { resolution: resolveBackend(backend, this.#lookup), next: 0 };
    ports.set(backend.port, known);
    return known;
  }
}
