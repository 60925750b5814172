import assert from "node:assert/strict";
import { compareKeys } from "../key-order.ts";
import { CompactedError, StorageError } from "../storage.ts";
import { SortedKeys } from "./sorted-keys.ts";
import { isLive, type Version } from "./version.ts";

/** An empty store is at revision 1, as in etcd. */
const firstRevision = 1;

/** Every version of every key that is still remembered: the state at each revision since the compact revision. */
export class Versions {
  /** The newest version of each key; deletes too, until they are compacted. */
  readonly #newest = new Map<string, Version>();
  /** Invariant: the keys of #newest. */
  readonly #keys = new SortedKeys();
  /** Invariant: log[i] has the revision compactRevision + 1 + i (or firstRevision, if that is later). */
  #log: Version[] = [];
  #revision: number;
  #compactRevision: number;

  constructor(compactRevision = 0) {
    this.#compactRevision = compactRevision;
    this.#revision = Math.max(compactRevision, firstRevision);
  }

  get revision(): number {
    return this.#revision;
  }

  get compactRevision(): number {
    return this.#compactRevision;
  }

  /** The newest version of a key, which may be a delete. */
  find(key: string): Version | undefined {
    return this.#newest.get(key);
  }

  /** The live version of a key at a revision. */
  findAt(key: string, revision: number): Version | undefined {
    this.assertReadable(revision);
    return versionAt(this.#newest.get(key), revision);
  }

  /** The live versions of keys with a prefix at a revision, in byte order, after a key if one is given. */
  *range(prefix: string, revision: number, after = ""): Generator<Version> {
    this.assertReadable(revision);
    const start = compareKeys(after, prefix) > 0 ? after : prefix;
    for (const key of this.#keys.from(start)) {
      if (!key.startsWith(prefix)) return;
      if (key === after) continue;
      const version = versionAt(this.#newest.get(key), revision);
      if (version) yield version;
    }
  }

  /** Adds the version of the next revision. */
  append(version: Version): void {
    assert.equal(version.modRevision, this.#revision + 1);
    this.#revision++;
    this.#setNewest(version);
    this.#log.push(version);
  }

  /**
   * Adds a version that is as old as the compact revision or older, when the store is opened. Such versions come in
   * the order of their revisions. Returns the revisions of the versions that nobody can see now.
   */
  load(version: Version): number[] {
    assert.ok(version.modRevision <= this.#compactRevision);
    const replaced = this.#newest.get(version.key);
    const forgotten = replaced ? [replaced.modRevision] : [];
    if (isLive(version)) {
      this.#setNewest(version);
      return forgotten;
    }
    this.#deleteKey(version.key);
    return [...forgotten, version.modRevision];
  }

  /** The versions after a revision, in order, at most so many. */
  since(revision: number, limit = Number.POSITIVE_INFINITY): readonly Version[] {
    this.assertReadable(revision, { future: true });
    const start = Math.max(0, revision - this.#logStart());
    return this.#log.slice(start, start + limit);
  }

  /** Forgets what happened up to a revision, and returns the revisions of the versions that nobody can see now. */
  compact(revision: number): number[] {
    if (revision <= this.#compactRevision) return [];
    assert.ok(revision <= this.#revision);
    const forgotten: number[] = [];
    const count = Math.max(0, revision - this.#logStart());
    for (const version of this.#log.splice(0, count)) {
      if (isLive(version.previous)) forgotten.push(version.previous.modRevision);
      version.previous = undefined;
      if (isLive(version)) continue;
      forgotten.push(version.modRevision);
      if (this.#newest.get(version.key) === version) this.#deleteKey(version.key);
    }
    this.#compactRevision = revision;
    return forgotten;
  }

  /** Throws unless the state at a revision is known. */
  assertReadable(revision: number, { future = false } = {}): void {
    if (revision < this.#compactRevision) throw new CompactedError(this.#compactRevision);
    if (!future && revision > this.#revision) {
      throw new StorageError(
        `revision ${revision} is in the future, the newest is ${this.#revision}`,
      );
    }
  }

  #setNewest(version: Version): void {
    if (!this.#newest.has(version.key)) this.#keys.add(version.key);
    this.#newest.set(version.key, version);
  }

  #deleteKey(key: string): void {
    this.#newest.delete(key);
    this.#keys.delete(key);
  }

  /** The revision before the first one in the log. */
  #logStart(): number {
    return Math.max(this.#compactRevision, firstRevision);
  }
}

function versionAt(newest: Version | undefined, revision: number): Version | undefined {
  let version = newest;
  while (version && version.modRevision > revision) version = version.previous;
  return isLive(version) ? version : undefined;
}
