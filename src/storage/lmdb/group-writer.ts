import { nextTurn } from "#/std/time/clock.ts";
import { ClosedError, type StorageError, type WriteResult } from "../base/storage.ts";
import type { WatchHub } from "../base/watch-hub.ts";
import type { Checkpointer } from "./checkpointer.ts";
import type { Journal } from "./journal.ts";
import { toStorageError } from "./storage-failure.ts";
import type { Version } from "./version.ts";
import type { Versions } from "./versions.ts";
import { encodeGroup, planGroup, type WriteGroup, type WriteRequest } from "./write-group.ts";

/**
 * Limits of a group, so that deciding and encoding it blocks the event loop for a few milliseconds
 * at most.
 */
const maxGroupRequests = 1000;
const maxGroupBytes = 4 << 20;

interface QueuedRequest extends WriteRequest {
  resolve(result: WriteResult): void;
  reject(error: StorageError): void;
}

interface GroupWriterParts {
  readonly versions: Versions;
  readonly journal: Journal;
  readonly checkpointer: Checkpointer;
  readonly hub: WatchHub;
  valueOf(version: Version): Uint8Array;
  /** Called for each durable version, before its write is acknowledged. */
  onWritten(version: Version): void;
}

/**
 * Group commit: all requests that arrive while one group is being synced make up the next. The state in memory changes
 * only when a group is durable, so a failed group leaves no trace.
 */
export class GroupWriter {
  readonly #parts: GroupWriterParts;
  #queue: QueuedRequest[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  #failure: StorageError | undefined;

  constructor(parts: GroupWriterParts) {
    this.#parts = parts;
  }

  /** The reason why the last group failed; undefined if it succeeded. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /**
   * Resolves when the request is decided and, if it was accepted, durable and delivered to watches.
   */
  submit(request: WriteRequest): Promise<WriteResult> {
    if (this.#closed) return Promise.reject(new ClosedError());
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...request, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Refuses further requests and resolves when the present ones are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Writes of this turn of the event loop, and reactions to the last group, join this group.
      await nextTurn();
      const requests = this.#takeGroup();
      try {
        await this.#write(requests);
        this.#failure = undefined;
      } catch (error) {
        this.#failure = toStorageError(error, "the store");
        for (const { reject } of requests) reject(this.#failure);
      }
    }
    this.#running = undefined;
  }

  #takeGroup(): QueuedRequest[] {
    let count = 0;
    let bytes = 0;
    while (count < this.#queue.length && count < maxGroupRequests && bytes < maxGroupBytes) {
      bytes += this.#queue[count++]?.value?.length ?? 0;
    }
    return this.#queue.splice(0, count);
  }

  async #write(requests: readonly QueuedRequest[]): Promise<void> {
    const { versions, journal, checkpointer } = this.#parts;
    await checkpointer.awaitRoom();
    const group = planGroup(requests, this.#parts);
    if (group.versions.length > 0) {
      const buffer = encodeGroup(group);
      await journal.append(buffer, versions.revision + 1);
      this.#publish(group);
    }
    for (const [index, { resolve }] of requests.entries()) {
      const outcome = group.outcomes[index];
      if (outcome) resolve(outcome);
    }
    checkpointer.noteGroup();
  }

  #publish(group: WriteGroup): void {
    const { versions, hub, onWritten } = this.#parts;
    for (const version of group.versions) {
      versions.append(version);
      onWritten(version);
    }
    hub.publish(group.events, versions.revision);
  }
}
