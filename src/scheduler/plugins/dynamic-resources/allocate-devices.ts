import type { Node, NodeSelector } from "#/api/core/v1.ts";
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClass,
  DeviceConstraint,
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
} from "#/api/resource/v1.ts";
import { consumption, devicesFor, type Pool, type PoolDevice } from "./device-pools.ts";
import { attributeText, matchesSelectors } from "./device-selector.ts";

export interface AllocationView {
  readonly pools: readonly Pool[];
  /** Devices allocated to other claims, by id. */
  readonly taken: ReadonlySet<string>;
  findClass(name: string): DeviceClass | undefined;
}

/** A request, or one of its alternatives, reduced to what the allocator needs. */
interface Wanted {
  readonly claim: number;
  /** "request" or "request/alternative". */
  readonly name: string;
  readonly request: ExactDeviceRequest;
}

/** A device allocated to a request. */
interface Given {
  readonly wanted: Wanted;
  readonly device: PoolDevice;
}

/** Limit of search steps (count): a search must not block other pods for long. */
const maxSteps = 50_000;

/**
 * Devices for all claims on a node, one result for each claim; undefined if not all can be allocated. Requests with
 * alternatives take the first that can be allocated.
 *
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/structured/internal/stable/allocator_stable.go.
 */
export function allocateDevices(
  claims: readonly ResourceClaim[],
  node: Node,
  view: AllocationView,
): readonly AllocationResult[] | undefined {
  const search = new Search(claims, node, view);
  const given = search.run();
  return given && claims.map((claim, index) => resultOf(claim, index, given, node, view));
}

class Search {
  readonly #claims: readonly ResourceClaim[];
  readonly #devices: readonly PoolDevice[];
  readonly #view: AllocationView;
  readonly #given: Given[] = [];
  /** Cached matches of selectors, by request and device. */
  readonly #matches = new Map<string, boolean>();
  #steps = 0;

  constructor(claims: readonly ResourceClaim[], node: Node, view: AllocationView) {
    this.#claims = claims;
    this.#view = view;
    const complete = view.pools.filter(({ isIncomplete }) => !isIncomplete);
    this.#devices = complete.flatMap((pool) => devicesFor(pool, node));
  }

  run(): readonly Given[] | undefined {
    const requests = this.#claims.flatMap(({ spec }, claim) =>
      (spec.devices.requests ?? []).map(({ name, exactly, firstAvailable = [] }): Wanted[] =>
        exactly
          ? [{ claim, name, request: exactly }]
          : firstAvailable.map((one) => ({ claim, name: `${name}/${one.name}`, request: one })),
      ),
    );
    return this.#meet(requests, 0) ? this.#given : undefined;
  }

  /** Allocates the requests from an index on, trying the alternatives of each in turn. */
  #meet(requests: readonly (readonly Wanted[])[], at: number): boolean {
    const alternatives = requests[at];
    if (alternatives === undefined) return true;
    return alternatives.some((wanted) => {
      const { allocationMode = "ExactCount", count = 1 } = wanted.request;
      if (allocationMode === "All")
        return this.#takeAll(wanted, () => this.#meet(requests, at + 1));
      return this.#take(wanted, count, 0, () => this.#meet(requests, at + 1));
    });
  }

  #take(wanted: Wanted, count: number, from: number, next: () => boolean): boolean {
    if (count === 0) return next();
    for (let i = from; i < this.#devices.length; i++) {
      if (++this.#steps > maxSteps) return false;
      const device = this.#devices[i];
      if (!device || !this.#suits(device, wanted)) continue;
      this.#given.push({ wanted, device });
      if (this.#take(wanted, count - 1, i + 1, next)) return true;
      this.#given.pop();
    }
    return false;
  }

  /** All matching devices; there must be at least one, and none may be in use. */
  #takeAll(wanted: Wanted, next: () => boolean): boolean {
    if (this.#view.pools.some(({ isIncomplete }) => isIncomplete)) return false;
    const all = this.#devices.filter((device) => this.#isMeant(device, wanted));
    const before = this.#given.length;
    const fits =
      all.length > 0 &&
      all.every((device) => {
        if (!this.#suits(device, wanted)) return false;
        this.#given.push({ wanted, device });
        return true;
      });
    if (fits && next()) return true;
    this.#given.length = before;
    return false;
  }

  #suits(device: PoolDevice, wanted: Wanted): boolean {
    if (!wanted.request.adminAccess) {
      if (this.#view.taken.has(device.id)) return false;
      if (this.#given.some((given) => given.device.id === device.id)) return false;
      if (!this.#leavesCounters(device)) return false;
    }
    return this.#isMeant(device, wanted) && this.#meetsConstraints(device, wanted);
  }

  #isMeant({ id, device, driver }: PoolDevice, { claim, name, request }: Wanted): boolean {
    const key = `${claim}\0${name}\0${id}`;
    let matches = this.#matches.get(key);
    if (matches === undefined) {
      const deviceClass = this.#view.findClass(request.deviceClassName);
      matches =
        deviceClass !== undefined &&
        tolerated(device.taints, request.tolerations) &&
        matchesSelectors(device, driver, deviceClass.spec.selectors) &&
        matchesSelectors(device, driver, request.selectors);
      this.#matches.set(key, matches);
    }
    return matches;
  }

  #meetsConstraints(candidate: PoolDevice, wanted: Wanted): boolean {
    const constraints = this.#claims[wanted.claim]?.spec.devices.constraints ?? [];
    return constraints.every((constraint) => {
      if (!concerns(constraint, wanted.name)) return true;
      const others = this.#given.filter(({ wanted: other }) => {
        return other.claim === wanted.claim && concerns(constraint, other.name);
      });
      return meetsConstraint(constraint, candidate, others);
    });
  }

  /** True if the shared counters of a pool have enough left. */
  #leavesCounters({ device, pool }: PoolDevice): boolean {
    const own = consumption(device);
    if (own.size === 0) return true;
    const given = new Set(this.#given.map((one) => one.device.id));
    const users = this.#devices.filter((other) => {
      return other.pool === pool && (this.#view.taken.has(other.id) || given.has(other.id));
    });
    return [...own].every(([counter, amount]) => {
      const used = users.reduce((sum, user) => {
        return sum + (consumption(user.device).get(counter) ?? 0);
      }, 0);
      return used + amount <= (pool.counters.get(counter) ?? 0);
    });
  }
}

/** A constraint names requests; a request's name includes all its alternatives. */
function concerns({ requests = [] }: DeviceConstraint, name: string): boolean {
  return (
    requests.length === 0 || requests.includes(name) || requests.includes(name.split("/")[0] ?? "")
  );
}

function meetsConstraint(
  { matchAttribute, distinctAttribute }: DeviceConstraint,
  { device, driver }: PoolDevice,
  others: readonly Given[],
): boolean {
  const name = matchAttribute ?? distinctAttribute;
  if (name === undefined) return true;
  const value = attributeText(device, driver, name);
  if (value === undefined) return false;
  return others.every(({ device: other }) => {
    const same = attributeText(other.device, other.driver, name) === value;
    return matchAttribute !== undefined ? same : !same;
  });
}

function tolerated(
  taints: readonly DeviceTaint[] | undefined,
  tolerations: readonly DeviceToleration[] = [],
): boolean {
  return (taints ?? []).every(({ key, value = "", effect }) => {
    if (effect !== "NoSchedule" && effect !== "NoExecute") return true;
    return tolerations.some((one) => {
      if (one.key && one.key !== key) return false;
      if (one.effect && one.effect !== effect) return false;
      return one.operator === "Exists" || (one.value ?? "") === value;
    });
  });
}

function resultOf(
  claim: ResourceClaim,
  index: number,
  given: readonly Given[],
  node: Node,
  view: AllocationView,
): AllocationResult {
  const own = given.filter(({ wanted }) => wanted.claim === index);
  const selector = nodeSelectorOf(own, node);
  return {
    devices: {
      results: own.map(({ wanted, device }): DeviceRequestAllocationResult => {
        const { adminAccess, tolerations } = wanted.request;
        return {
          request: wanted.name,
          driver: device.driver,
          pool: device.pool.name,
          device: device.device.name,
          ...(adminAccess ? { adminAccess } : {}),
          ...(tolerations?.length ? { tolerations } : {}),
        };
      }),
      ...configOf(claim, own, view),
    },
    ...(selector ? { nodeSelector: selector } : {}),
  };
}

function configOf(
  { spec }: ResourceClaim,
  own: readonly Given[],
  view: AllocationView,
): { config?: DeviceAllocationConfiguration[] } {
  const requests = new Map(own.map(({ wanted }) => [wanted.name, wanted.request.deviceClassName]));
  const config: DeviceAllocationConfiguration[] = [];
  for (const [name, className] of requests) {
    for (const one of view.findClass(className)?.spec.config ?? []) {
      config.push({ ...one, source: "FromClass", requests: [name] });
    }
  }
  for (const one of spec.devices.config ?? []) config.push({ ...one, source: "FromClaim" });
  return config.length > 0 ? { config } : {};
}

/** Node selector of a claim with these devices; undefined for all nodes. */
function nodeSelectorOf(own: readonly Given[], node: Node): NodeSelector | undefined {
  const reaches = own.map(({ device }) => device.reach);
  if (reaches.includes("node")) {
    const values = [node.metadata.name ?? ""];
    return {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values }] }],
    };
  }
  const selectors = reaches.filter((reach) => typeof reach === "object");
  const expressions = selectors.flatMap(
    ({ nodeSelectorTerms: [term] }) => term?.matchExpressions ?? [],
  );
  const fields = selectors.flatMap(({ nodeSelectorTerms: [term] }) => term?.matchFields ?? []);
  if (expressions.length + fields.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(expressions.length > 0 ? { matchExpressions: expressions } : {}),
        ...(fields.length > 0 ? { matchFields: fields } : {}),
      },
    ],
  };
}
