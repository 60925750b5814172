import { isAsExpected, isLetThrough } from "../base/expectation.ts";
import type { Entry, Expectation, Guard, WatchEvent, WriteResult } from "../base/storage.ts";
import { groupHeaderSize } from "./journal.ts";
import { recordSize, writeRecord } from "./record.ts";
import { isLive, storedVersion, toEntry, type Version } from "./version.ts";
import type { Versions } from "./versions.ts";

/** A put or delete request. */
export interface WriteRequest {
  readonly key: string;
  /** undefined for a delete. */
  readonly value: Uint8Array | undefined;
  readonly expect: Expectation;
  readonly guard?: Guard | undefined;
  /** See Version. */
  readonly expiresAtMs: number;
}

/** The result of a group of requests, decided one by one, once it is durable. */
export interface WriteGroup {
  readonly versions: readonly Version[];
  readonly events: readonly WatchEvent[];
  /** One for each request. */
  readonly outcomes: readonly WriteResult[];
}

/** The durable state, and access to the values of its versions. */
interface WriteState {
  readonly versions: Pick<Versions, "find" | "revision">;
  valueOf(version: Version): Uint8Array;
}

/** Decides a group of requests. Changes nothing. */
export function planGroup(requests: readonly WriteRequest[], state: WriteState): WriteGroup {
  const staged = new Map<string, Version>();
  const versions: Version[] = [];
  const events: WatchEvent[] = [];
  const values = new Map<Version, Uint8Array>();
  const entryOf = (version: Version): Entry =>
    lazyEntry(version, () => values.get(version) ?? state.valueOf(version));
  const find = (key: string): Version | undefined => staged.get(key) ?? state.versions.find(key);
  const findLive = (key: string): Version | undefined => {
    const version = find(key);
    return isLive(version) ? version : undefined;
  };
  const outcomes = requests.map((request): WriteResult => {
    const { key, value, expect } = request;
    const revision = state.versions.revision + versions.length;
    if (!isLetThrough(request.guard, findLive)) {
      return { done: false, byGuard: true, current: undefined, revision };
    }
    const current = find(key);
    const live = isLive(current) ? current : undefined;
    const previous = live && entryOf(live);
    if (!isAsExpected(live, expect)) return { done: false, current: previous, revision };
    if (value === undefined && !previous) return { done: true, revision };
    const modRevision = revision + 1;
    const createRevision = value === undefined ? 0 : (live?.createRevision ?? modRevision);
    const { expiresAtMs } = request;
    const version = {
      ...storedVersion({ key, modRevision, createRevision, expiresAtMs }),
      previous: current,
    };
    versions.push(version);
    staged.set(key, version);
    values.set(version, value ?? noValue);
    if (value) events.push({ type: "put", entry: toEntry(version, value), previous });
    else if (previous) events.push({ type: "delete", key, revision: modRevision, previous });
    return { done: true, revision: modRevision };
  });
  return { versions, events, outcomes };
}

const noValue = new Uint8Array(0);

/** An entry whose value is read on access; few callers read a replaced value. */
function lazyEntry({ key, modRevision, createRevision }: Version, read: () => Uint8Array): Entry {
  let value: Uint8Array | undefined;
  return {
    key,
    modRevision,
    createRevision,
    get value() {
      value ??= read();
      return value;
    },
  };
}

/**
 * Encodes the records of a group's versions into one buffer, with space for the journal, and marks
 * them as pending.
 */
export function encodeGroup({ versions, events }: WriteGroup): Buffer {
  const values = events.map((event) => (event.type === "put" ? event.entry.value : noValue));
  const sizes = versions.map(({ key }, index) => recordSize(key, values[index] ?? noValue));
  const total = sizes.reduce((sum, size) => sum + size, groupHeaderSize);
  const buffer = Buffer.allocUnsafeSlow(total);
  let start = groupHeaderSize;
  for (const [index, version] of versions.entries()) {
    const value = values[index] ?? noValue;
    const record = writeRecord(buffer, start, version, value);
    version.pending = { value, record };
    start += record.length;
  }
  return buffer;
}
