import type { StepObject } from "#/machinery/journey/step.ts";

/** Who wrote a version of an object, and what it was. */
export interface Version {
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
/** Size of a version besides its object (bytes), measured roughly. */
const versionBytes = 300;

interface Entry {
  readonly key: string;
  readonly versions: Version[];
  bytes: number;
}

/**
 * The last versions of all objects, up to a limit of memory: then the object that was not written to for the longest
 * time is dropped. Versions are those of the store, and share their bytes with it as long as they are current.
 */
export class History {
  readonly #maxBytes: number;
  /** By resource, namespace and name: an object that is made again goes on. The one written to last is at the end. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  add(version: Version): void {
    const key = keyOf(version.of);
    const entry = this.#entries.get(key) ?? { key, versions: [], bytes: 0 };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.versions.push(version);
    this.#resize(entry, sizeOf(version));
    const dropped = entry.versions.length > maxVersions ? entry.versions.shift() : undefined;
    if (dropped) this.#resize(entry, -sizeOf(dropped));
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#entries.delete(oldest.key);
      this.#bytes -= oldest.bytes;
    }
  }

  /** The versions of an object, the oldest first; of all objects of its name, if it has no uid. */
  versions(of: StepObject): readonly Version[] {
    const { versions = [] } = this.#entries.get(keyOf(of)) ?? {};
    return of.uid === undefined ? versions : versions.filter((one) => one.of.uid === of.uid);
  }

  /** The newest versions of all objects of a scope, the newest first. */
  newest(wanted: (of: StepObject) => boolean, limit: number): readonly Version[] {
    const found: Version[] = [];
    for (const { versions } of [...this.#entries.values()].reverse()) {
      const [first] = versions;
      if (!first || !wanted(first.of)) continue;
      for (const version of versions) found.push(version);
      // The rest was written to before the last version of this one, but not before all of them.
      if (found.length > limit * maxVersions) break;
    }
    return found.sort((a, b) => b.revision - a.revision).slice(0, limit);
  }

  #resize(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    this.#bytes += bytes;
  }
}

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

const keyOf = ({ resource, namespace = "", name }: StepObject): string =>
  `${resource}/${namespace}/${name}`;
