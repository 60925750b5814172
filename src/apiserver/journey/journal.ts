import type { Journey, Step, StepObject } from "#/machinery/journey/step.ts";
import { backgroundTurn } from "#/std/async/slices.ts";
import { readObject } from "./decode-record.ts";
import { type FinishedWrite, writeRequest, writeStep } from "./encode-record.ts";
import { childrenOf, collectNames, findJourney, placesOf, type Wanted } from "./find-journey.ts";
import { RecordSegment, SegmentFull } from "./record-segment.ts";

/** A part of a segment that is not in the files yet. */
interface Unsaved {
  readonly bytes: Uint8Array;
  /** A file may begin with it. */
  readonly isStart: boolean;
}

/**
 * The records of all writes and steps in the order in which they came, up to a limit of memory: then the oldest ones are
 * dropped. Nothing but their bytes is made when they come; steps are made of them when a client reads them.
 */
export class Journal {
  readonly #maxBytes: number;
  /** The oldest first; the last one is written to. */
  #segments: RecordSegment[] = [];
  #current: RecordSegment | undefined;
  /** The first segment that is not completely in the files, and how much of it is (bytes). */
  #unsaved: RecordSegment | undefined;
  #savedBytes = 0;
  /** Size of the segments but the last one. */
  #olderBytes = 0;
  readonly #listeners = new Set<(of: StepObject) => void>();
  #onUnsaved: ((isFull: boolean) => void) | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#olderBytes + (this.#current?.heldBytes ?? 0);
  }

  /** Adds a write; returns hashOfName() of its object. */
  addWrite(finished: FinishedWrite): number {
    let nameHash = 0;
    this.#write((segment) => {
      nameHash = writeRequest(segment, finished);
    });
    return nameHash;
  }

  /** Adds a step that a component reported. */
  addStep(step: Step): void {
    this.#write((segment) => writeStep(segment, step));
  }

  /** Adds records of before all others. */
  addOlder(segments: readonly RecordSegment[]): void {
    this.#segments = [...segments, ...this.#segments];
    this.#olderBytes += segments.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
    this.#shrink();
  }

  /** What is not in the files yet, which it is from now on. */
  takeUnsaved(): readonly Unsaved[] {
    if (!this.#unsaved) return [];
    const first = this.#segments.indexOf(this.#unsaved);
    const found: Unsaved[] = [];
    // The oldest ones may have been dropped meanwhile.
    for (const segment of this.#segments.slice(Math.max(0, first))) {
      const from = segment === this.#unsaved ? this.#savedBytes : 0;
      const bytes = segment.bytes.subarray(from, segment.end);
      if (bytes.length > 0) found.push({ bytes, isStart: from === 0 });
    }
    this.#unsaved = this.#current;
    this.#savedBytes = this.#current?.end ?? 0;
    return found;
  }

  /** The journey of the newest object of a name, or of the one with the uid. */
  find(of: StepObject): Journey | undefined {
    const places = this.#segments.flatMap((segment) => placesOf(segment, of));
    return findJourney(places, of, (uid) => childrenOf(this.#segments, uid));
  }

  /** The journeys of a scope, the one written to last first. */
  async list(wanted: Wanted, limit: number): Promise<Journey[]> {
    const names = new Map<string, StepObject>();
    for (const segment of this.#segments.toReversed()) {
      if (names.size >= limit) break;
      await backgroundTurn();
      collectNames(segment, wanted, { names, limit });
    }
    const found: Journey[] = [];
    for (const { resource, namespace, name } of names.values()) {
      await backgroundTurn();
      const of = { resource, ...(namespace === undefined ? {} : { namespace }), name };
      const journey = this.find(of);
      if (journey) found.push(journey);
    }
    return found;
  }

  /** Calls the listener with the object of each new record. */
  onChange(listener: (of: StepObject) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /**
   * Calls a function after each record, the one that puts them into files; and, before a segment that is full may be
   * dropped, the same with `true`.
   */
  onUnsaved(run: (isFull: boolean) => void): Disposable {
    this.#onUnsaved = run;
    return {
      [Symbol.dispose]: () => {
        this.#onUnsaved = undefined;
      },
    };
  }

  #write(write: (segment: RecordSegment) => void): void {
    if (!fits(this.#current ?? this.#begin(), write) && !fits(this.#begin(), write)) {
      throw new Error("a record is larger than a segment");
    }
    this.#onUnsaved?.(false);
    if (this.#listeners.size > 0) this.#announce();
  }

  #begin(): RecordSegment {
    if (this.#current) {
      this.#onUnsaved?.(true);
      this.#olderBytes += this.#current.heldBytes;
    }
    const segment = RecordSegment.begin();
    this.#segments.push(segment);
    this.#current = segment;
    this.#unsaved ??= segment;
    this.#shrink();
    return segment;
  }

  #shrink(): void {
    let count = 0;
    while (count < this.#segments.length - 1 && this.sizeBytes > this.#maxBytes) {
      this.#olderBytes -= this.#segments[count++]?.heldBytes ?? 0;
    }
    if (count > 0) this.#segments = this.#segments.slice(count);
  }

  #announce(): void {
    if (!this.#current) return;
    const of = readObject(this.#current, this.#current.offset(this.#current.count - 1));
    for (const listener of this.#listeners) listener(of);
  }
}

/** Writes a record unless the segment is full. */
function fits(segment: RecordSegment, write: (segment: RecordSegment) => void): boolean {
  try {
    write(segment);
    return true;
  } catch (error) {
    segment.abandon();
    if (error instanceof SegmentFull) return false;
    throw error;
  }
}
