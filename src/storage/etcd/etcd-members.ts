import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { CallOptions } from "#/std/grpc/grpc-call.ts";
import { type Channel, openChannel, type TlsMaterial } from "#/std/grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "#/std/grpc/grpc-client.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import { ClosedError, StorageError } from "../base/storage.ts";
import { ambiguous, classifyFailure, unavailable } from "./etcd-failure.ts";
import { KV, Lease, Maintenance, Watch } from "./etcd-services.ts";

/** How the members of an etcd cluster are reached. */
export interface MembersOptions {
  /** `http://`, `https://` or `unix://` addresses of one cluster. The first is used while it works. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsFiles | undefined;
  /** A ping is sent after so long without news from a member; default 30 s. etcd allows 5 s at the least. */
  readonly keepaliveMs?: number | undefined;
  /** A member that does not answer a ping within this is given up; default 10 s. */
  readonly keepaliveTimeoutMs?: number | undefined;
  /** So long a read, or a write that was certainly not done, is tried again; default 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** So long one member may take for a read before another one is asked; default 5 s. */
  readonly readAttemptMs?: number | undefined;
  /** Larger answers are not let in but fetched in smaller parts; default 256 MiB. */
  readonly maxReceiveBytes?: number | undefined;
  readonly clock: Clock;
}

/** PEM files; read again when connecting fails, because certificates get replaced while a server runs. */
export interface TlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** One member and its services. */
export interface Member {
  readonly address: string;
  readonly channel: Channel;
  readonly kv: ServiceClient<typeof KV>;
  readonly watch: ServiceClient<typeof Watch>;
  readonly lease: ServiceClient<typeof Lease>;
  readonly maintenance: ServiceClient<typeof Maintenance>;
}

/** Upstream: apiserver pkg/storage/storagebackend/factory/etcd3.go. */
const KEEPALIVE_MS = 30_000;
const KEEPALIVE_TIMEOUT_MS = 10_000;

const REQUEST_TIMEOUT_MS = 30_000;
const READ_ATTEMPT_MS = 5_000;

/** Longer than etcd itself takes to give up (7 s), so that its answer decides what became of a write. */
const WRITE_ATTEMPT_MS = 10_000;

/** A watch may get a transaction of 128 keys, each with its previous value, at once. */
const MAX_RECEIVE_BYTES = 256 << 20;

/** A member that has lost the others says so at once instead of letting requests wait. */
export const requireLeader: Readonly<Record<string, string>> = { hasleader: "true" };

/** The wait after all members have failed once, twice… */
export const retryBackoff = exponentialBackoff({ baseMs: 20, maxMs: 1_000, jitter: 0.2 });

const log = logger("etcd");

type Request<T> = (member: Member, options: CallOptions) => Promise<T>;

/** The members of a cluster, of which one is used until it fails; repeats requests where that is safe. */
export class Members {
  readonly #options: MembersOptions;
  #tls: TlsMaterial | undefined;
  #members: readonly Member[];
  #current = 0;
  #reloading = false;
  readonly #closing = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();

  /** Reads the TLS files; connections are made when they are needed. */
  static async open(options: MembersOptions): Promise<Members> {
    if (options.endpoints.length === 0)
      throw new TypeError("etcd: at least one endpoint is needed");
    return new Members(options, await readTls(options.tls));
  }

  private constructor(options: MembersOptions, tls: TlsMaterial | undefined) {
    this.#options = options;
    this.#tls = tls;
    this.#members = this.#connect();
  }

  #connect(): Member[] {
    const {
      keepaliveMs = KEEPALIVE_MS,
      keepaliveTimeoutMs = KEEPALIVE_TIMEOUT_MS,
      maxReceiveBytes = MAX_RECEIVE_BYTES,
    } = this.#options;
    const settings = { tls: this.#tls, keepaliveMs, keepaliveTimeoutMs, maxReceiveBytes };
    return this.#options.endpoints.map((address) => {
      const channel = openChannel({ address, ...settings });
      return {
        address,
        channel,
        kv: serviceClient(KV, channel),
        watch: serviceClient(Watch, channel),
        lease: serviceClient(Lease, channel),
        maintenance: serviceClient(Maintenance, channel),
      };
    });
  }

  /** Aborts when the store is being closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get current(): Member {
    const member = this.#members[this.#current];
    if (!member || this.closing.aborted) throw new ClosedError();
    return member;
  }

  /** Moves on to the next member, unless somebody else has done so already. */
  failed(member: Member, reason: string): void {
    if (this.#members[this.#current] !== member) return;
    log.v(2, "etcd member failed", { endpoint: member.address, reason });
    this.#current = (this.#current + 1) % this.#members.length;
    if (this.#options.tls) void this.#reloadTls();
  }

  /** A request that changes nothing, or may be done twice: tried until it succeeds, fails for good, or time is up. */
  read<T>(request: Request<T>, timeoutMs = this.#requestTimeoutMs): Promise<T> {
    const { readAttemptMs = READ_ATTEMPT_MS } = this.#options;
    const attemptMs = Math.min(readAttemptMs, timeoutMs);
    return this.#track(async () => {
      const options = { timeoutMs: attemptMs, metadata: requireLeader, signal: this.closing };
      const attempt = (member: Member): Promise<T> => request(member, options);
      return this.#retry(attempt, { timeoutMs, repeatUnknown: true });
    });
  }

  /** A request that must not be done twice: tried again only if it was certainly not done. */
  write<T>(request: Request<T>): Promise<T> {
    return this.#track(() => {
      const options = { timeoutMs: WRITE_ATTEMPT_MS, metadata: requireLeader };
      const attempt = (member: Member): Promise<T> => request(member, options);
      return this.#retry(attempt, { timeoutMs: this.#requestTimeoutMs, repeatUnknown: false });
    });
  }

  /** No new requests. Reads under way are given up, writes are waited for. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#inFlight);
    for (const { channel } of this.#members) channel.close();
  }

  get #requestTimeoutMs(): number {
    return this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  }

  async #retry<T>(
    attempt: (member: Member) => Promise<T>,
    { timeoutMs, repeatUnknown }: { timeoutMs: number; repeatUnknown: boolean },
  ): Promise<T> {
    const { clock } = this.#options;
    const deadline = clock.monotonicMs() + timeoutMs;
    for (let failures = 1; ; failures++) {
      const member = this.current;
      try {
        return await attempt(member);
      } catch (error) {
        const failure = classifyFailure(error);
        if (failure.kind === "final") throw failure.error;
        if (failure.kind !== "refused" && failure.kind !== "unknown") throw error;
        if (failure.kind === "unknown" && !repeatUnknown) throw ambiguous(failure.reason, error);
        if (this.closing.aborted) throw new ClosedError();
        if (clock.monotonicMs() >= deadline) throw unavailable(failure.reason, error);
        this.failed(member, failure.reason);
        await this.pause(failures, this.closing);
      }
    }
  }

  /** Waits before the next try, but not while there are members that have not been tried; ends early if aborted. */
  async pause(failures: number, signal: AbortSignal): Promise<void> {
    const rounds = Math.floor(failures / this.#members.length);
    if (rounds === 0 || signal.aborted) return;
    const { clock } = this.#options;
    await clock.sleep(retryBackoff(rounds), signal).catch(() => undefined);
  }

  #track<T>(run: () => Promise<T>): Promise<T> {
    const running = run();
    this.#inFlight.add(running);
    const forget = (): boolean => this.#inFlight.delete(running);
    running.then(forget, forget);
    return running;
  }

  async #reloadTls(): Promise<void> {
    if (this.#reloading) return;
    this.#reloading = true;
    try {
      const tls = await readTls(this.#options.tls);
      if (isDeepStrictEqual(tls, this.#tls) || this.closing.aborted) return;
      log.info("etcd certificates have changed, connecting anew");
      this.#tls = tls;
      const old = this.#members;
      this.#members = this.#connect();
      for (const { channel } of old) channel.close();
    } catch (error) {
      log.error(error, "etcd certificates can't be read, the old ones stay in use");
    } finally {
      this.#reloading = false;
    }
  }
}

async function readTls(files: TlsFiles | undefined): Promise<TlsMaterial | undefined> {
  if (!files) return undefined;
  const [ca, cert, key] = await Promise.all(
    [files.caFile, files.certFile, files.keyFile].map((file) => file && readPem(file)),
  );
  return { ca: ca || undefined, cert: cert || undefined, key: key || undefined };
}

async function readPem(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new StorageError(`etcd: the certificate or key file ${file} can't be read`, {
      cause: error,
    });
  });
}
