import { Session } from "node:inspector";
import { LruMap } from "#/std/memory/lru-map.ts";

/** Sizes of everything in this process that can grow. */
export interface TableSizes {
  /** Entries of all Maps and Sets together. */
  readonly entries: number;
  /** Elements of all arrays together. */
  readonly elements: number;
  /** Maps and Sets with many entries, the largest first: size and some of the keys. */
  readonly largest: readonly string[];
  readonly heapBytes: number;
}

/** Number of elements from which on a table is described. */
const describedFrom = 300;

/**
 * Counts the entries of every living Map, Set and array: informer stores, queues, back-off tables, watch caches and
 * whatever else a component keeps, without a list of them. Caches with a limit (LruMap) are emptied and garbage is
 * collected first.
 */
export function tableSizes(): TableSizes {
  const session = new Session();
  session.connect();
  try {
    for (const cache of living<LruMap<unknown, unknown>>(session, LruMap)) {
      for (const table of privateTables(session, cache)) table.clear();
    }
    const maps = living<Map<unknown, unknown>>(session, Map);
    const sets = living<Set<unknown>>(session, Set);
    const arrays = living<unknown[]>(session, Array);
    const tables = [...maps, ...sets];
    return {
      entries: sum(tables, ({ size }) => size),
      elements: sum(arrays, ({ length }) => length),
      largest: tables
        .filter(({ size }) => size >= describedFrom)
        .sort((a, b) => b.size - a.size)
        .map((table) => `${table.size}: ${[...table.keys()].slice(-3).map(describe).join(", ")}`),
      heapBytes: process.memoryUsage().heapUsed,
    };
  } finally {
    session.disconnect();
  }
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const describe = (key: unknown): string =>
  typeof key === "string" ? key : Object.prototype.toString.call(key);

/** Name of the global variable through which the inspector and this process exchange objects. */
const channel = "k8tsSimulationObjects";
const shared = globalThis as unknown as Record<typeof channel, unknown>;

/** All living instances of a class. */
function living<T>(session: Session, type: { readonly prototype: unknown }): T[] {
  const prototypeObjectId = remember(session, type.prototype);
  const { objects } = post<{ objects: RemoteObject }>(session, "Runtime.queryObjects", {
    prototypeObjectId,
  });
  const found = recall<object[]>(session, objects.objectId);
  // The prototype of a derived class is no instance.
  return found.filter((one) => !Object.hasOwn(one, "constructor")) as T[];
}

/** The Maps in private properties of an object. */
function privateTables(session: Session, object: unknown): Map<unknown, unknown>[] {
  const objectId = remember(session, object);
  const { privateProperties = [] } = post<{ privateProperties?: { value?: RemoteObject }[] }>(
    session,
    "Runtime.getProperties",
    { objectId, ownProperties: true },
  );
  return privateProperties
    .filter(({ value }) => value?.objectId !== undefined)
    .map(({ value }) => recall<unknown>(session, value?.objectId ?? ""))
    .filter((value) => value instanceof Map);
}

interface RemoteObject {
  readonly objectId: string;
}

/** The inspector's id of an object. */
function remember(session: Session, object: unknown): string {
  shared[channel] = object;
  const expression = `globalThis.${channel}`;
  const { result } = post<{ result: RemoteObject }>(session, "Runtime.evaluate", { expression });
  shared[channel] = undefined;
  return result.objectId;
}

/** The object with an id of the inspector. */
function recall<T>(session: Session, objectId: string): T {
  const functionDeclaration = `function () { globalThis.${channel} = this; }`;
  post(session, "Runtime.callFunctionOn", { objectId, functionDeclaration });
  const found = shared[channel] as T;
  shared[channel] = undefined;
  return found;
}

/** A request to the inspector, which responds at once. */
function post<T>(session: Session, method: string, parameters: object): T {
  let response: unknown;
  session.post(method, parameters, (failure, result) => {
    if (failure) throw failure;
    response = result;
  });
  return response as T;
}
