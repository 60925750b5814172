import assert from "node:assert/strict";
import { CompactedError, StorageError } from "../base/storage.ts";
import { KeyIndex } from "./key-index.ts";
import { isDelete, isLive, type Version } from "./version.ts";

/** An empty store is at revision 1, as in etcd. */
export const firstRevision = 1;

/** A key with its newest version, which is a delete until that is compacted. */
interface KnownKey {
  readonly key: string;
  newest: Version;
}

/** Every kept version of every key: the state at each revision since the compact revision. */
export class Versions {
  readonly #keys = new KeyIndex<KnownKey>();
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
    return this.#keys.find(key)?.newest;
  }

  /** The live version of a key at a revision. */
  findAt(key: string, revision: number): Version | undefined {
    this.assertReadable(revision);
    return versionAt(this.find(key), revision);
  }

  /** The live versions of keys with a prefix at a revision, in byte order, after a key if one is given. */
  range(prefix: string, revision = this.#revision, after = ""): Version[] {
    this.assertReadable(revision);
    const found: Version[] = [];
    for (const { newest } of this.#keys.range(prefix, after)) {
      const version = versionAt(newest, revision);
      if (version) found.push(version);
    }
    return found;
  }

  /** Adds the version of the next revision. */
  append(version: Version): void {
    assert.equal(version.modRevision, this.#revision + 1);
    this.#revision++;
    this.#setNewest(version);
    this.#log.push(version);
  }

  /**
   * Adds a version that is as old as the compact revision or older, when the store is opened. Such
   * versions must be added in the order of their revisions. Returns the revisions of versions that
   * are no longer visible.
   */
  load(version: Version): number[] {
    assert.ok(version.modRevision <= this.#compactRevision);
    const replaced = this.find(version.key);
    const forgotten = replaced ? [replaced.modRevision] : [];
    if (!isDelete(version)) {
      this.#setNewest(version);
      return forgotten;
    }
    this.#keys.delete(version.key);
    return [...forgotten, version.modRevision];
  }

  /** The versions after a revision, in order, up to a limit. */
  since(revision: number, limit = Number.POSITIVE_INFINITY): readonly Version[] {
    this.assertReadable(revision, { future: true });
    const start = Math.max(0, revision - this.#logStart());
    return this.#log.slice(start, start + limit);
  }

  /**
   * Removes history up to a revision, and returns the revisions of versions that are no longer
   * visible.
   */
  compact(revision: number): number[] {
    if (revision <= this.#compactRevision) return [];
    assert.ok(revision <= this.#revision);
    const forgotten: number[] = [];
    const count = Math.max(0, revision - this.#logStart());
    for (const version of this.#log.splice(0, count)) {
      if (isLive(version.previous)) forgotten.push(version.previous.modRevision);
      version.previous = undefined;
      if (!isDelete(version)) continue;
      forgotten.push(version.modRevision);
      if (this.find(version.key) === version) this.#keys.delete(version.key);
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
    const known = this.#keys.find(version.key);
    if (known) known.newest = version;
    else this.#keys.add({ key: version.key, newest: version });
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
