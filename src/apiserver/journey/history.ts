import type { StepObject } from "#/machinery/journey/step.ts";
import { hashOfName } from "./record-hash.ts";

/** Who wrote a version of an object, and what it was. */
export interface Version {
  /** hashOfName() of its object: one for all objects of a name. */
  readonly key: number;
  readonly of: StepObject;
  readonly revision: number;
  /** When the store had it (ms since 1970). */
  readonly atMs: number;
  readonly verb: string;
  readonly subresource?: string | undefined;
  readonly user?: string | undefined;
  readonly manager?: string | undefined;
  readonly deleted?: boolean | undefined;
  readonly sizeBytes: number;
  /** The object as JSON; undefined if it was not kept. */
  text(): string | undefined;
}

/** Limit of the versions of one object (count): the newest are kept. */
const maxVersions = 50;
/** The share of the limit that is kept when it is reached. */
const keptShare = 0.9;
/** Size of a version besides its object (bytes), measured roughly. */
const versionBytes = 300;

/** An object's only version, or all of several: most objects are written once. */
type Entry = Version | Version[];

/**
 * The last versions of all objects, up to a limit of memory: then the object that was not written to for the longest
 * time is dropped. Versions are those of the store, and share their bytes with it as long as they are current.
 */
export class History {
  readonly #maxBytes: number;
  /** By hashOfName(): an object that is made again goes on. The one written to last is at the end. */
  readonly #entries = new Map<number, Entry>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  add(version: Version): void {
    const known = this.#entries.get(version.key);
    if (known === undefined) this.#entries.set(version.key, version);
    else this.#addTo(known, version);
    this.#bytes += sizeOf(version);
    if (this.#bytes > this.#maxBytes) this.#shrink();
  }

  /** Adds versions from before all others, the oldest first. */
  addOlder(versions: readonly Version[]): void {
    const newer = [...this.#entries.values()].flat();
    this.#entries.clear();
    this.#bytes = 0;
    for (const version of [...versions, ...newer]) this.add(version);
  }

  /** The versions of an object, the oldest first; of all objects of its name, if it has no uid. */
  versions(of: StepObject): readonly Version[] {
    return versionsOf(this.#entries.get(keyOf(of))).filter((one) => isSame(one.of, of));
  }

  /** The newest versions of all objects of a scope, the newest first. */
  newest(wanted: (of: StepObject) => boolean, limit: number): readonly Version[] {
    const found: Version[] = [];
    for (const entry of [...this.#entries.values()].reverse()) {
      for (const version of versionsOf(entry)) if (wanted(version.of)) found.push(version);
      // The rest was written to before the last version of this one, but not before all of them.
      if (found.length > limit * maxVersions) break;
    }
    return found.sort((a, b) => b.revision - a.revision).slice(0, limit);
  }

  /** Drops many at once: each look for the first entry of a Map passes over all that were removed before it. */
  #shrink(): void {
    const bytes = this.#maxBytes * keptShare;
    for (const [key, oldest] of this.#entries) {
      if (this.#bytes <= bytes) return;
      this.#entries.delete(key);
      for (const version of versionsOf(oldest)) this.#bytes -= sizeOf(version);
    }
  }

  /** Adds a further version, and moves the object to the end. */
  #addTo(known: Entry, version: Version): void {
    const versions = Array.isArray(known) ? known : [known];
    versions.push(version);
    this.#entries.delete(version.key);
    this.#entries.set(version.key, versions);
    const dropped = versions.length > maxVersions ? versions.shift() : undefined;
    if (dropped) this.#bytes -= sizeOf(dropped);
  }
}

const versionsOf = (entry: Entry | undefined): readonly Version[] =>
  entry === undefined ? [] : Array.isArray(entry) ? entry : [entry];

/** The version that was valid at a revision or a time; undefined if that is not known any more. */
export function versionAt(
  versions: readonly Version[],
  at: { readonly revision: number } | { readonly timeMs: number },
): Version | undefined {
  const found = versions.findLast((version) =>
    "revision" in at ? version.revision <= at.revision : version.atMs <= at.timeMs,
  );
  return found?.deleted ? undefined : found;
}

const sizeOf = ({ sizeBytes }: Version): number => sizeBytes + versionBytes;

const keyOf = ({ resource, namespace = "", name }: StepObject): number =>
  hashOfName(resource, namespace, name);

const isSame = (found: StepObject, { resource, namespace, name, uid }: StepObject): boolean =>
  found.name === name &&
  found.namespace === namespace &&
  found.resource === resource &&
  (uid === undefined || found.uid === uid);
