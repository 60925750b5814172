import { GrpcError } from "#/std/grpc/grpc.ts";
import type { BidiCall, ServiceClient } from "#/std/grpc/grpc-client.ts";
import { type Clock, nextTurn, type Timer } from "#/std/time/clock.ts";
import {
  CompactedError,
  StorageError,
  type WatchBatch,
  type WatchOptions,
} from "../base/storage.ts";
import { classifyFailure } from "./etcd-failure.ts";
import { type Member, type Members, requireLeader } from "./etcd-members.ts";
import type { Watch, WatchResponse } from "./etcd-services.ts";
import { allKeys, keysWithPrefix } from "./key-range.ts";
import { hasSoundProgress } from "./progress-support.ts";
import { WatchAssembly } from "./watch-assembly.ts";
import type { WrittenValues } from "./written-values.ts";

/** Interval (ms) of progress requests: etcd does not respond to them while the watch is behind. */
const progressRetryMs = 100;

/** Limit of a member's time to report its status (ms) before another one is used. */
const connectTimeoutMs = 5_000;

type WatchCall = ReturnType<ServiceClient<typeof Watch>["Watch"]>;
type WatchRequest = WatchCall extends BidiCall<infer Request, infer _> ? Request : never;

/** The shared dependencies of a store's watches. */
interface WatchSource {
  readonly members: Members;
  readonly clock: Clock;
  readonly written: WrittenValues;
}

/**
 * One watch, which survives its connections: it is *connecting* to a member, or *watching* there;
 * when that fails it connects to the next member and resumes after the last delivered revision.
 *
 * Each watch has its own gRPC stream (all on one connection), so that a slow reader does not delay
 * other watches, and so that a progress response is for this watch.
 *
 * On an etcd without reliable progress the whole store is watched, where every revision has an
 * event.
 */
export class EtcdWatch {
  readonly #members: Members;
  readonly #clock: Clock;
  readonly #written: WrittenValues;
  readonly #prefix: string;
  readonly #knowsPrevious: boolean;
  readonly #signal: AbortSignal;
  /** Every event up to here has been yielded. */
  #position: number;
  /** The revision that the next progress must reach; 0 for none. */
  #progressTarget = 0;
  #isAsking = false;
  /** Whether a batch must be yielded without events. */
  #batchDue = false;
  /** Wakes the wait for a response; undefined if none is waiting. */
  #wake: (() => void) | undefined;
  /** Set while watching; progress can be requested. */
  #call: WatchCall | undefined;
  #retry: Timer | undefined;

  constructor(source: WatchSource, prefix: string, options: WatchOptions) {
    const { after, signal, knowsPrevious = false } = options;
    const { members, clock, written } = source;
    this.#members = members;
    this.#clock = clock;
    this.#written = written;
    this.#prefix = prefix;
    this.#knowsPrevious = knowsPrevious;
    // Revision 1 is the empty store, without events.
    this.#position = Math.max(1, after);
    this.#signal = AbortSignal.any([signal, members.closing]);
  }

  /** Requests a batch that reaches this revision, which must exist. */
  requestProgress(revision: number): void {
    if (this.#position >= revision) {
      this.#batchDue = true;
      this.#wake?.();
    } else {
      this.#progressTarget = Math.max(this.#progressTarget, revision);
      this.#askSoon();
    }
  }

  async *batches(): AsyncGenerator<WatchBatch> {
    let failures = 0;
    while (!this.#signal.aborted) {
      const member = this.#members.current;
      let reason = "the stream has ended";
      try {
        for await (const batch of this.#watch(member)) {
          failures = 0;
          yield batch;
        }
      } catch (error) {
        if (this.#signal.aborted) return;
        reason = reasonToReconnect(error);
      }
      this.#members.failed(member, reason);
      await this.#members.pause(++failures, this.#signal);
    }
  }

  /** Watches at one member until the stream breaks. */
  async *#watch(member: Member): AsyncGenerator<WatchBatch> {
    const options = { signal: this.#signal, metadata: requireLeader };
    const timeoutMs = connectTimeoutMs;
    const status = await member.maintenance.Status({}, { ...options, timeoutMs });
    const sound = hasSoundProgress(status.version);
    using call = member.watch.Watch(options);
    await call.write(this.#createRequest(sound, status.header?.revision ?? 0));
    const assembly = new WatchAssembly({
      after: this.#position,
      prefix: this.#prefix,
      trustProgress: sound,
      knowsPrevious: this.#knowsPrevious,
      written: this.#written,
    });
    try {
      for await (const responses of this.#responses(call)) {
        if (responses?.some(({ created }) => created) && sound) {
          this.#call = call;
          this.#askForProgress();
        }
        const batch = responses ? accept(assembly, responses) : this.#emptyBatch();
        if (batch) yield this.#deliver(batch);
      }
    } finally {
      this.#call = undefined;
      this.#retry?.cancel();
    }
  }

  #createRequest(sound: boolean, revision: number): WatchRequest {
    const range = (sound ? keysWithPrefix(this.#prefix) : undefined) ?? allKeys;
    // A watch that begins at the compacted revision may miss deletions there, so history is watched
    // from one revision earlier; without history it begins with the next revision, which etcd
    // starts at once.
    const startRevision = this.#position < revision ? this.#position : this.#position + 1;
    const prevKv = !this.#knowsPrevious;
    const create = { ...range, startRevision, progressNotify: true, prevKv, fragment: true };
    return { request: { create } };
  }

  /** The responses of the call, and undefined for each progress request. */
  async *#responses(call: WatchCall): AsyncGenerator<readonly WatchResponse[] | undefined> {
    const iterator = call[Symbol.asyncIterator]();
    let next = pull(iterator);
    for (;;) {
      if (!this.#batchDue) await this.#settledOrDue(next);
      if (this.#batchDue) {
        this.#batchDue = false;
        yield undefined;
        continue;
      }
      const result = await next;
      if (result.done) return;
      yield result.value;
      next = pull(iterator);
    }
  }

  #settledOrDue(next: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake = undefined;
        resolve();
      };
      this.#wake = wake;
      next.then(wake, wake);
    });
  }

  #emptyBatch(): WatchBatch {
    return { events: [], revision: this.#position };
  }

  #deliver(batch: WatchBatch): WatchBatch {
    this.#position = batch.revision;
    if (this.#position >= this.#progressTarget) {
      this.#progressTarget = 0;
      this.#retry?.cancel();
    }
    return batch;
  }

  /** Delayed: an event that reaches the revision may be about to arrive. */
  #askSoon(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    void nextTurn().then(() => {
      this.#isAsking = false;
      this.#askForProgress();
    });
  }

  #askForProgress(): void {
    this.#retry?.cancel();
    if (this.#progressTarget === 0 || !this.#call) return;
    void this.#call.write({ request: { progress: {} } });
    const again = (): void => this.#askForProgress();
    this.#retry = this.#clock.setTimer(progressRetryMs, again, { keepAlive: false });
  }
}

/** Requests the next item. A rejection after the watch has ended is ignored. */
function pull<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = iterator.next();
  next.catch(() => undefined);
  return next;
}

/** Responses that arrived together make one batch. */
function accept(
  assembly: WatchAssembly,
  responses: readonly WatchResponse[],
): WatchBatch | undefined {
  const batches = responses.flatMap((response) => {
    const { canceled, created, compactRevision, cancelReason } = response;
    if (compactRevision > 0) throw new CompactedError(compactRevision);
    if (canceled) throw new GrpcError("UNKNOWN", cancelReason);
    return (created ? undefined : assembly.accept(response)) ?? [];
  });
  const last = batches.at(-1);
  if (!last || batches.length === 1) return last;
  return { events: batches.flatMap(({ events }) => events), revision: last.revision };
}

/** The reason to reconnect; throws an error that ends the watch permanently. */
function reasonToReconnect(error: unknown): string {
  const failure = classifyFailure(error);
  if (failure.kind === "refused" || failure.kind === "unknown") return failure.reason;
  if (failure.kind === "final") throw failure.error;
  throw new StorageError(`etcd ended the watch: ${failure.kind}`, { cause: error });
}
