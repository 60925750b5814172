import { type IpvsFragment, serverKey, type VirtualServer } from "./fragment.ts";
import { type SetName, setNames } from "./names.ts";

const emptyFragment: IpvsFragment = { servers: [], entries: [], outFilter: [] };

/** The changes since the last one: elements with whether they are wanted now. */
interface SetChanges {
  readonly set: SetName;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Texts with the number of parts that want each, and those whose presence may have changed. */
class CountedTexts {
  readonly #counts = new Map<string, number>();
  readonly #touched = new Map<string, boolean>();

  get size(): number {
    return this.#counts.size;
  }

  has(text: string): boolean {
    return this.#counts.has(text);
  }

  values(): Iterable<string> {
    return this.#counts.keys();
  }

  change(text: string, by: 1 | -1): void {
    if (!this.#touched.has(text)) this.#touched.set(text, this.has(text));
    const count = (this.#counts.get(text) ?? 0) + by;
    if (count > 0) this.#counts.set(text, count);
    else this.#counts.delete(text);
  }

  /** What was added and removed since the last call. */
  takeChanges(): { added: string[]; removed: string[] } {
    const changed = [...this.#touched].filter(([text, before]) => before !== this.has(text));
    this.#touched.clear();
    const added = changed.filter(([, before]) => !before).map(([text]) => text);
    return { added, removed: changed.filter(([, before]) => before).map(([text]) => text) };
  }
}

/** The desired state of one family, made of the parts of services. */
export class IpvsRuleset {
  #parts = new Map<string, IpvsFragment>();
  /** By serverKey. Two services may claim the same address: the first one that did has it. */
  #servers = new Map<string, Map<string, VirtualServer>>();
  #sets = emptySets();
  #outFilter = new CountedTexts();
  #touchedServers = new Set<string>();

  clear(): void {
    this.#parts = new Map();
    this.#servers = new Map();
    this.#sets = emptySets();
    this.#outFilter = new CountedTexts();
    this.#touchedServers = new Set();
  }

  /** Replaces or, without a fragment, removes a part. */
  set(part: string, fragment: IpvsFragment | undefined): void {
    const before = this.#parts.get(part) ?? emptyFragment;
    const after = fragment ?? emptyFragment;
    if (fragment) this.#parts.set(part, fragment);
    else this.#parts.delete(part);
    for (const { set, entry } of after.entries) this.#sets[set].change(entry, 1);
    for (const { set, entry } of before.entries) this.#sets[set].change(entry, -1);
    for (const rule of after.outFilter) this.#outFilter.change(rule, 1);
    for (const rule of before.outFilter) this.#outFilter.change(rule, -1);
    const kept = new Set(after.servers.map(serverKey));
    for (const server of after.servers) this.#claim(part, server);
    for (const server of before.servers)
      if (!kept.has(serverKey(server))) this.#release(part, server);
  }

  server(key: string): VirtualServer | undefined {
    return this.#servers.get(key)?.values().next().value;
  }

  serverKeys(): Iterable<string> {
    return this.#servers.keys();
  }

  /** The servers that may have changed since the last call. */
  takeTouchedServers(): ReadonlySet<string> {
    const touched = this.#touchedServers;
    this.#touchedServers = new Set();
    return touched;
  }

  /** The entries that have changed since the last call, of each set with changes. */
  takeSetChanges(): SetChanges[] {
    return setNames
      .map((set) => ({ set, ...this.#sets[set].takeChanges() }))
      .filter(({ added, removed }) => added.length + removed.length > 0);
  }

  entries(set: SetName): Iterable<string> {
    return this.#sets[set].values();
  }

  hasEntry(set: SetName, entry: string): boolean {
    return this.#sets[set].has(entry);
  }

  hasEntries(set: SetName): boolean {
    return this.#sets[set].size > 0;
  }

  get outFilter(): string[] {
    return [...this.#outFilter.values()];
  }

  #claim(part: string, server: VirtualServer): void {
    const key = serverKey(server);
    const claims = this.#servers.get(key) ?? new Map<string, VirtualServer>();
    this.#servers.set(key, claims.set(part, server));
    this.#touchedServers.add(key);
  }

  #release(part: string, server: VirtualServer): void {
    const key = serverKey(server);
    const claims = this.#servers.get(key);
    claims?.delete(part);
    if (claims?.size === 0) this.#servers.delete(key);
    this.#touchedServers.add(key);
  }
}

function emptySets(): Record<SetName, CountedTexts> {
  const sets = setNames.map((name) => [name, new CountedTexts()]);
  return Object.fromEntries(sets) as Record<SetName, CountedTexts>;
}
