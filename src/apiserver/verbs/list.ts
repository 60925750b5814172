import {
  badRequest,
  resourceExpired,
  tooLargeResourceVersion,
} from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import type { Clock } from "#/std/time/clock.ts";
import { CompactedError } from "#/storage/base/storage.ts";
import { OrderedItems } from "../registry/ordered-items.ts";
import type { Page } from "../registry/result.ts";
import type { Store } from "../registry/store.ts";
import { StoredObject } from "../registry/stored-object.ts";
import type { Snapshot } from "../registry/watch-cache.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import { inTurns } from "./in-turns.ts";
import type { ListOptions } from "./options.ts";
import type { Selection } from "./selection.ts";
import type { WantedTrait } from "./wanted-traits.ts";

/** Limit of the wait for the cache to reach a client's resourceVersion (ms). */
const freshnessTimeoutMs = 3_000;
/**
 * Objects between two checks of the clock: an object may have to be parsed for the first time, and a selector of 32,000
 * terms takes milliseconds for each.
 */
const itemsPerLook = 8;

/**
 * The selected objects, in key order.
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/{cacher/cacher,etcd3/store}.go.
 */
export async function list(
  store: Store,
  selection: Selection,
  options: ListOptions,
): Promise<Page> {
  const { keyPrefix } = selection.scope;
  const token =
    options.continueToken === "" ? undefined : decodeContinue(options.continueToken, keyPrefix);
  if (token && options.resourceVersion !== "" && options.resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const exact = token ? token.revision : exactRevision(options);
  const snapshot =
    exact > 0
      ? await snapshotAt(store, exact, token && { start: token.start, keyPrefix })
      : await newest(store, options);
  await prepareSelection(snapshot, selection);
  // A list at any version ("0") ignores the limit.
  const limit = options.resourceVersion === "0" && !token ? 0 : options.limit;
  const page = await collect(snapshot, selection, {
    limit,
    from: token?.start,
    clock: store.clock,
  });
  // A snapshot from the store's history expires with the history, as clients expect.
  if (page.continueToken !== "" && exact <= 0) store.keepSnapshot(snapshot);
  return page;
}

/** The revision a list must be exactly at, or 0. */
function exactRevision({ resourceVersion, resourceVersionMatch, limit }: ListOptions): number {
  const revision = parseResourceVersion(resourceVersion);
  if (resourceVersionMatch === "Exact") return revision;
  return resourceVersionMatch === "" && limit > 0 ? revision : 0;
}

/** A client's resource version as a number; 0 if absent. */
function parseResourceVersion(text: string): number {
  const revision = findRevision(text);
  if (revision !== undefined) return revision;
  throw badRequest(`invalid resource version: ${noRevision(text)}`);
}

/** A resource version as a number, 0 if absent; undefined if invalid. */
export function findRevision(text: string): number | undefined {
  if (text === "" || text === "0") return 0;
  const revision = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(revision) ? revision : undefined;
}

/** The error for a resource version that is not a number. */
export const noRevision = (text: string): string =>
  `resourceVersion: Invalid value: ${goQuote(text)}: strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`;

/** A snapshot at least as new as the options require. */
async function newest(store: Store, options: ListOptions): Promise<Snapshot> {
  if (options.resourceVersion === "") await store.freshen();
  else await reach(store, parseResourceVersion(options.resourceVersion));
  return store.cache.snapshot();
}

/** Waits for the cache to reach a revision; 504 if it does not. */
export async function reach(store: Store, revision: number): Promise<void> {
  if (!(await store.waitUntil(revision, freshnessTimeoutMs))) {
    throw tooLargeResourceVersion(revision, store.cache.revision, 1);
  }
}

/** The objects as they were at a revision, from memory if possible, else from the store's history. */
async function snapshotAt(
  store: Store,
  revision: number,
  page: { readonly start: string; readonly keyPrefix: string } | undefined,
): Promise<Snapshot> {
  const kept = store.findSnapshot(revision);
  if (kept) return kept;
  await reach(store, revision);
  try {
    return { revision, items: await itemsAt(store, revision) };
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    if (page === undefined)
      throw resourceExpired(`The resourceVersion for the provided list is too old.`);
    const expired = resourceExpired(continueTooOld);
    expired.status.metadata = {
      continue: encodeContinue({ revision: -1, start: page.start }, page.keyPrefix),
    };
    throw expired;
  }
}

const continueTooOld =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

async function itemsAt(store: Store, revision: number): Promise<OrderedItems> {
  const { entries } = await store.storage.range(store.prefix, { revision });
  const objects = entries.map((entry) => new StoredObject(entry, store.codec));
  const byKey = new Map(objects.map((object) => [object.key, object]));
  const source = {
    size: objects.length,
    get: (itemKey: string) => byKey.get(store.prefix + itemKey),
    all: () => objects,
  };
  return new OrderedItems(source, store.prefix.length);
}

/** Converts all objects in scope that the selection has to see converted. */
export async function prepareSelection(
  { items }: Snapshot,
  { itemKey, scope, prepare }: Selection,
): Promise<void> {
  if (!prepare) return;
  const found: StoredObject[] = [];
  for (const [key, stored] of items.entries(scope.keyPrefix)) {
    if (!key.startsWith(scope.keyPrefix) || (itemKey !== undefined && key !== itemKey)) break;
    found.push(stored);
  }
  await prepare(await inTurns(found, (stored) => stored.parsed()));
}

async function collect(
  { items, revision }: Snapshot,
  { itemKey, scope, matches, wanted = [] }: Selection,
  {
    limit,
    from,
    clock,
  }: { readonly limit: number; readonly from: string | undefined; readonly clock: Clock },
): Promise<Page> {
  const found: StoredObject[] = [];
  const last = { revision, continueToken: "", remaining: undefined };
  if (itemKey !== undefined) {
    const object = items.get(itemKey);
    if (object && (!matches || matches(object))) found.push(object);
    return { items: found, ...last };
  }
  const candidates = narrow(items, wanted);
  const { objects } = candidates;
  const { start, end } = candidates.span(scope.keyPrefix);
  const first = from === undefined ? start : Math.max(start, candidates.position(from));
  if (!matches && limit === 0) return { items: objects.slice(first, end), ...last };
  const budget = new TurnBudget(clock);
  for (let index = first; index < end; index++) {
    if (index % itemsPerLook === 0 && budget.isSpent) await budget.yield();
    const object = objects[index];
    if (!object || (matches && !matches(object))) continue;
    const previous = found.at(-1);
    if (limit > 0 && found.length === limit && previous) {
      const next = { revision, start: `${items.keyOf(previous)}\u0000` };
      const continueToken = encodeContinue(next, scope.keyPrefix);
      const remaining = matches ? undefined : end - index;
      return { items: found, revision, continueToken, remaining };
    }
    found.push(object);
  }
  return { items: found, ...last };
}

/** The items that can be selected, reduced by an index if there is one. */
function narrow(items: OrderedItems, wanted: readonly WantedTrait[]): OrderedItems {
  for (const { trait, value } of wanted) {
    const found = items.withTrait(trait, value);
    if (found) return found;
  }
  return items;
}
