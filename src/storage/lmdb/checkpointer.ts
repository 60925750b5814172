import type { Clock, Timer } from "#/std/time/clock.ts";
import { NoSpaceError, StorageError } from "../base/storage.ts";
import { type HistoryLimits, HistoryMarks } from "./history-marks.ts";
import type { Journal } from "./journal.ts";
import type { Tree } from "./tree.ts";
import { markStored } from "./version.ts";
import type { Versions } from "./versions.ts";

/** Journal size (bytes) that starts a checkpoint. */
const checkpointBytes = 1 << 20;
/**
 * Delay of a checkpoint (ms) after the first write that the tree doesn't have. Also the delay after
 * a failure.
 */
const checkpointDelayMs = 1000;
/** Limit of the journal (bytes): writes wait when checkpoints can't keep up. */
const maxJournalBytes = 64 << 20;
/** Limit of versions in one commit, so that the event loop is blocked only briefly. */
const maxCommitVersions = 1000;
/** Overhead of a version besides its record (bytes): in memory and in the tree's pages. */
const versionOverheadBytes = 256;

interface CheckpointerParts extends HistoryLimits {
  readonly clock: Clock;
  readonly versions: Versions;
  readonly journal: Journal;
  readonly tree: Tree;
}

/** The result of loading the tree. */
export interface LoadedHistory {
  /** Size of all versions after the compact revision. */
  readonly bytes: number;
  /** Revisions of versions that are still in the tree though no read can see them. */
  readonly forgotten: readonly number[];
}

/**
 * Moves versions from the journal to the tree in the background, and drops compacted ones from the
 * tree. One checkpoint at a time: the journal switches to its other file, then commits follow until
 * the tree has all versions of the first.
 */
export class Checkpointer {
  readonly #parts: CheckpointerParts;
  readonly #marks: HistoryMarks;
  #running: Promise<void> | undefined;
  /** Waiters for a checkpoint that has not started yet. */
  #waiting: (() => void)[] = [];
  #failure: StorageError | undefined;
  /**
   * After a failure the idle file of the journal still holds versions that the tree lacks, so the
   * journal can't switch to it.
   */
  #interrupted = false;
  #timer: { readonly atMs: number; readonly timer: Timer } | undefined;
  /** A checkpoint is due when no append is under way. */
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

  /** The reason of the last checkpoint's failure; undefined if it succeeded. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /** Called after each group, and before the next one is appended. */
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

  /** Compacts history up to a revision; resolves when that is durable. */
  async compact(revision: number): Promise<void> {
    const { versions, tree } = this.#parts;
    if (revision > versions.revision) {
      throw new StorageError(`revision ${revision} is in the future`);
    }
    this.#compactTo = Math.max(this.#compactTo, revision);
    while (tree.state.compactRevision < revision) await this.#nextCheckpoint();
  }

  /**
   * Moves everything to the tree, unless that fails: then it stays in the journal. No more
   * checkpoints afterwards.
   */
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

  /** Waits for the next checkpoint to start and end; rejects if it fails. */
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

  /** The revision to compact to now. Never beyond the tree's revision. */
  #compactRevision(): number {
    const { clock, tree } = this.#parts;
    const outdated = this.#marks.takeOutdated(clock.monotonicMs());
    this.#compactTo = Math.max(this.#compactTo, outdated);
    return Math.min(this.#compactTo, tree.state.revision);
  }

  /** Schedules a retry, or the next compaction. */
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
