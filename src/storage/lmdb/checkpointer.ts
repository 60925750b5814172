import type { Clock, Timer } from "#/std/time/clock.ts";
import { NoSpaceError, StorageError } from "../base/storage.ts";
import { type HistoryLimits, HistoryMarks } from "./history-marks.ts";
import type { Journal } from "./journal.ts";
import type { Tree } from "./tree.ts";
import { markStored } from "./version.ts";
import type { Versions } from "./versions.ts";

/** A checkpoint starts when the journal has so many bytes… */
const checkpointBytes = 1 << 20;
/** …or so long after the first write that the tree doesn't have. Also how long to wait after a failure. */
const checkpointDelayMs = 1000;
/** Writes wait when the journal has so many bytes because checkpoints can't keep up. */
const maxJournalBytes = 64 << 20;
/** Versions put into or dropped from the tree by one commit, so that the event loop is held for a moment only. */
const maxCommitVersions = 1000;
/** What a remembered version takes besides its record: in memory and in the tree's pages. */
const versionOverheadBytes = 256;

export interface CheckpointerParts extends HistoryLimits {
  readonly clock: Clock;
  readonly versions: Versions;
  readonly journal: Journal;
  readonly tree: Tree;
}

/** What loading the tree found. */
export interface LoadedHistory {
  /** Of all versions after the compact revision. */
  readonly bytes: number;
  /** Revisions of versions that are still in the tree though nobody can see them. */
  readonly forgotten: readonly number[];
}

/**
 * Moves what is in the journal to the tree, in the background, and drops from the tree what compaction forgets. One
 * checkpoint at a time: the journal turns to its other file, then commits follow until the tree has all of the first.
 */
export class Checkpointer {
  readonly #parts: CheckpointerParts;
  readonly #marks: HistoryMarks;
  #running: Promise<void> | undefined;
  /** Those who wait for a checkpoint that has not started yet. */
  #waiting: (() => void)[] = [];
  #failure: StorageError | undefined;
  /** After a failure the idle file of the journal still holds what the tree lacks, so it can't be turned to. */
  #interrupted = false;
  #timer: { readonly atMs: number; readonly timer: Timer } | undefined;
  /** Start as soon as no append is under way. */
  #due = false;
  #stopped = false;
  #forgotten: number[];
  #compactTo = 0;

  constructor(parts: CheckpointerParts, loaded: LoadedHistory) {
    this.#parts = parts;
    this.#marks = new HistoryMarks(parts);
    this.#forgotten = [...loaded.forgotten];
    this.#marks.add(parts.clock.monotonicMs(), parts.versions.revision, loaded.bytes);
    this.#setTimer();
  }

  /** Why the last checkpoint failed; undefined if it didn't. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /** To be called after each group, and before the next one is appended. */
  noteGroup(): void {
    this.#startIfDue();
    this.#wakeWithin(checkpointDelayMs);
  }

  /** Resolves when the journal can take another group; rejects if it is full and checkpoints fail. */
  async awaitRoom(): Promise<void> {
    const { journal } = this.#parts;
    if (journal.activeBytes < maxJournalBytes) return;
    await this.#running;
    if (journal.activeBytes >= maxJournalBytes) {
      throw this.#failure ?? new NoSpaceError("the journal is full");
    }
  }

  /** Forgets history up to a revision; resolves when that is durable. */
  async compact(revision: number): Promise<void> {
    const { versions, tree } = this.#parts;
    if (revision > versions.revision) {
      throw new StorageError(`revision ${revision} is in the future`);
    }
    this.#compactTo = Math.max(this.#compactTo, revision);
    while (tree.state.compactRevision < revision) await this.#nextCheckpoint();
  }

  /** Brings everything into the tree, unless that fails: then it stays in the journal. No more checkpoints after. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.timer.cancel();
    const { versions, tree } = this.#parts;
    this.#failure = undefined;
    while (tree.state.revision < versions.revision && !this.#failure) {
      await this.#nextCheckpoint().catch(() => undefined);
    }
    await this.#running;
  }

  /** Waits for a checkpoint that starts from now on; rejects if it fails. */
  async #nextCheckpoint(): Promise<void> {
    const finished = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#due = true;
    this.#startIfDue();
    await finished;
    if (this.#failure) throw this.#failure;
  }

  #startIfDue(): void {
    const { journal } = this.#parts;
    if (this.#running || journal.busy) return;
    if (!this.#due && (this.#failure || journal.activeBytes < checkpointBytes)) return;
    this.#due = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#running = this.#run().then(() => {
      this.#running = undefined;
      this.#startIfDue();
      this.#setTimer();
      for (const finished of waiting) finished();
    });
  }

  async #run(): Promise<void> {
    const { versions, journal, tree } = this.#parts;
    try {
      if (!this.#interrupted) journal.switchFile();
      this.#interrupted = true;
      const target = versions.revision;
      this.#markHistory();
      this.#forgotten.push(...versions.compact(this.#compactRevision()));
      while (tree.state.revision < target || this.#hasDebt()) await this.#commit(target);
      this.#interrupted = false;
      await journal.trimIdleFile();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof StorageError ? error : new StorageError(String(error));
    }
  }

  #hasDebt(): boolean {
    const { versions, tree } = this.#parts;
    return this.#forgotten.length > 0 || tree.state.compactRevision < versions.compactRevision;
  }

  async #commit(target: number): Promise<void> {
    const { versions, tree } = this.#parts;
    const { state } = tree;
    const limit = Math.min(maxCommitVersions, target - state.revision);
    const put = versions.since(state.revision, limit);
    const drop = this.#forgotten.slice(0, maxCommitVersions);
    const revision = put.at(-1)?.modRevision ?? state.revision;
    const { compactRevision } = versions;
    await tree.commit({ put, drop, state: { ...state, revision, compactRevision } });
    this.#forgotten = this.#forgotten.slice(drop.length);
    for (const version of put) markStored(version);
  }

  #markHistory(): void {
    const { clock, versions, tree } = this.#parts;
    let bytes = 0;
    for (const { pending } of versions.since(tree.state.revision)) {
      bytes += versionOverheadBytes + (pending?.record.length ?? 0);
    }
    if (bytes > 0) this.#marks.add(clock.monotonicMs(), versions.revision, bytes);
  }

  /** How far history is to be forgotten now. Never beyond what the tree has. */
  #compactRevision(): number {
    const { clock, tree } = this.#parts;
    const outdated = this.#marks.takeOutdated(clock.monotonicMs());
    this.#compactTo = Math.max(this.#compactTo, outdated);
    return Math.min(this.#compactTo, tree.state.revision);
  }

  /** For what could not be written or is to be forgotten later. */
  #setTimer(): void {
    const { clock, versions, tree } = this.#parts;
    const nextMs = this.#marks.nextOutdatedMs;
    const unfinished =
      this.#failure ||
      tree.state.revision < versions.revision ||
      versions.compactRevision < this.#compactTo;
    if (unfinished) this.#wakeWithin(checkpointDelayMs);
    else if (nextMs !== undefined) this.#wakeWithin(nextMs - clock.monotonicMs());
  }

  #wakeWithin(ms: number): void {
    const { clock } = this.#parts;
    const atMs = clock.monotonicMs() + ms;
    if (this.#stopped || (this.#timer && this.#timer.atMs <= atMs)) return;
    this.#timer?.timer.cancel();
    const wake = (): void => {
      this.#timer = undefined;
      this.#due = true;
      this.#startIfDue();
    };
    this.#timer = { atMs, timer: clock.setTimer(ms, wake, { keepAlive: false }) };
  }
}
