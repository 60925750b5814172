import {
  type Child,
  compareSteps,
  type Journey,
  type Step,
  type StepObject,
} from "#/machinery/journey/step.ts";
import { stepsOf, type WriteRecord } from "./write-record.ts";

/** One line of the journal: a step that a component reported, or a write of the server itself. */
type Line = { readonly step: Step } | { readonly write: WriteRecord };

/** Limit of the steps of one object (lines): the first ones and the newest are kept. */
const maxLines = 600;
/** Of these, the first ones (lines). */
const keptFirst = 200;
/** Limit of the children that a journey lists (count). */
const maxChildren = 1000;
/** Size of an object without lines (bytes), measured roughly. */
const entryBytes = 600;

interface Entry {
  readonly key: string;
  readonly of: StepObject;
  /** JSON of Line. */
  readonly lines: string[];
  bytes: number;
  dropped: number;
  owner?: string | undefined;
}

/**
 * The journeys of all objects in memory, up to a limit: then the one that was not written to for the longest time is
 * dropped. Lines stay text until a client reads them.
 */
export class Journal {
  readonly #maxBytes: number;
  /** By uid, or by name where there is none; the one written to last is at the end. */
  readonly #entries = new Map<string, Entry>();
  /** The keys of all objects of a name, the newest last. */
  readonly #keys = new Map<string, string[]>();
  readonly #children = new Map<string, Set<string>>();
  readonly #listeners = new Set<(of: StepObject) => void>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  /** Adds a line, given with its text. */
  add(line: Line, text: string): void {
    const of = "step" in line ? line.step.of : line.write.of;
    const entry = this.#touch(of);
    const size = text.length + 16;
    entry.lines.push(text);
    entry.bytes += size;
    this.#bytes += size;
    if (entry.lines.length > maxLines) this.#drop(entry);
    if ("write" in line) this.#adopt(entry, line.write);
    this.#shrink();
    for (const listener of this.#listeners) listener(of);
  }

  /** The journey of the newest object of a name, or of the one with the uid. */
  find(of: StepObject): Journey | undefined {
    const known = this.#keys.get(nameKey(of)) ?? [];
    const uids = known.filter((key) => key !== nameKey(of)).toReversed();
    const uid = of.uid ?? uids[0];
    if (of.uid !== undefined && !uids.includes(of.uid)) return undefined;
    const entries = [
      ...(uid === undefined ? [] : [this.#entries.get(uid)]),
      // Refused attempts to make an object of this name.
      ...(of.uid === undefined ? [this.#entries.get(nameKey(of))] : []),
    ].filter((entry) => entry !== undefined);
    const [first] = entries;
    return first && this.#journey(first, entries, uids);
  }

  /** The journeys of a scope, the one written to last first. */
  list(wanted: (of: StepObject) => boolean, limit: number): Journey[] {
    const found: Journey[] = [];
    for (const entry of [...this.#entries.values()].reverse()) {
      if (found.length === limit) break;
      if (wanted(entry.of)) found.push(this.#journey(entry, [entry], []));
    }
    return found;
  }

  /** Calls the listener with the object of each new line. */
  onChange(listener: (of: StepObject) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  #touch(of: StepObject): Entry {
    const key = keyOf(of);
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const entry: Entry = { key, of, lines: [], bytes: entryBytes, dropped: 0 };
    this.#bytes += entryBytes;
    this.#entries.set(key, entry);
    const keys = this.#keys.get(nameKey(of));
    if (keys) keys.push(key);
    else this.#keys.set(nameKey(of), [key]);
    return entry;
  }

  #drop(entry: Entry): void {
    const [dropped = ""] = entry.lines.splice(keptFirst, 1);
    const size = dropped.length + 16;
    entry.dropped++;
    entry.bytes -= size;
    this.#bytes -= size;
  }

  #adopt(entry: Entry, { owner }: WriteRecord): void {
    if (owner === undefined || entry.owner !== undefined) return;
    entry.owner = owner;
    const children = this.#children.get(owner);
    if (children) children.add(entry.key);
    else this.#children.set(owner, new Set([entry.key]));
  }

  #shrink(): void {
    if (this.#bytes <= this.#maxBytes) return;
    for (const entry of this.#entries.values()) {
      this.#forget(entry);
      if (this.#bytes <= this.#maxBytes) return;
    }
  }

  #forget({ key, of, bytes, owner }: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= bytes;
    const keys = this.#keys.get(nameKey(of))?.filter((other) => other !== key) ?? [];
    if (keys.length > 0) this.#keys.set(nameKey(of), keys);
    else this.#keys.delete(nameKey(of));
    const siblings = owner === undefined ? undefined : this.#children.get(owner);
    siblings?.delete(key);
    if (owner !== undefined && siblings?.size === 0) this.#children.delete(owner);
  }

  #journey({ of, key }: Entry, entries: readonly Entry[], uids: readonly string[]): Journey {
    const lines = entries.flatMap((entry) => entry.lines);
    const dropped = entries.reduce((sum, entry) => sum + entry.dropped, 0);
    return journeyOf(of, lines, { dropped, uids, children: this.#childrenOf(key) });
  }

  #childrenOf(key: string): Child[] {
    const keys = [...(this.#children.get(key) ?? [])].slice(-maxChildren);
    return keys.flatMap((child) => {
      const entry = this.#entries.get(child);
      const [first] = entry ? readLine(entry.lines[0] ?? "") : [];
      return entry && first ? [{ of: entry.of, from: first.from }] : [];
    });
  }
}

interface Around {
  readonly dropped?: number;
  readonly uids?: readonly string[];
  readonly children?: readonly Child[];
}

/** A journey from its lines. Pure. */
export function journeyOf(
  of: StepObject,
  lines: readonly string[],
  { dropped = 0, uids = [], children = [] }: Around = {},
): Journey {
  const steps = withoutEnded(lines.flatMap(readLine)).sort(compareSteps);
  const from = steps[0]?.from;
  const ends = steps.map((step) => step.to ?? step.from).sort();
  const to = ends.at(-1);
  return {
    kind: "Journey",
    apiVersion: "journey.k8ts.dev/v1",
    metadata: { name: of.name, ...(of.namespace === undefined ? {} : { namespace: of.namespace }) },
    of,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    steps,
    ...(dropped > 0 ? { dropped } : {}),
    ...(children.length > 0 ? { children } : {}),
    ...(uids.length > 0 ? { uids } : {}),
  };
}

/** Without the first report of steps that were reported again when they ended. */
function withoutEnded(steps: readonly Step[]): Step[] {
  const key = ({ layer, name, from }: Step) => `${layer}/${name}/${from}`;
  const ended = new Set(steps.filter(({ to }) => to !== undefined).map(key));
  return steps.filter((step) => step.to !== undefined || !ended.has(key(step)));
}

/** A line of the journal, or undefined for one that a kill cut off. */
export function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

function readLine(text: string): readonly Step[] {
  const line = parseLine(text);
  if (!line) return [];
  return "step" in line ? [line.step] : stepsOf(line.write);
}

const keyOf = (of: StepObject): string => of.uid ?? nameKey(of);

const nameKey = ({ resource, namespace = "", name }: StepObject): string =>
  `${resource}/${namespace}/${name}`;
