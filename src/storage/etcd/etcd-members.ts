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

/** Connection options of an etcd cluster. */
export interface MembersOptions {
  /** `http://`, `https://` or `unix://` addresses of one cluster. The first is used while it works. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsFiles | undefined;
  /** Idle time before a ping; default 30 s. etcd allows 5 s at the least. */
  readonly keepaliveMs?: number | undefined;
  /** Limit of the response time of a ping, after which the member has failed; default 10 s. */
  readonly keepaliveTimeoutMs?: number | undefined;
  /** How long reads, and writes that were not executed, are retried; default 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Limit of one member's time for a read before the next member is tried; default 5 s, and 1.5 s for the first attempt, as
   * long as another member has not been tried.
   */
  readonly readAttemptMs?: number | undefined;
  /** Limit of a response (bytes); larger ones are read in smaller pages. Default 256 MiB. */
  readonly maxReceiveBytes?: number | undefined;
  readonly clock: Clock;
}

/**
 * PEM files; read again when connecting fails, because certificates are replaced while a server
 * runs.
 */
interface TlsFiles {
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

/** Upstream: staging/src/k8s.io/apiserver/pkg/storage/storagebackend/factory/etcd3.go. */
const defaultKeepaliveMs = 30_000;
const defaultKeepaliveTimeoutMs = 10_000;

const defaultRequestTimeoutMs = 30_000;
const defaultReadAttemptMs = 5_000;
/** A member that was stopped keeps its connections: it is left for another one as soon as a read takes this long. */
const firstReadAttemptMs = 1_500;

/**
 * Longer than etcd itself takes to give up (7 s), so that its response decides the outcome of a
 * write.
 */
const writeAttemptMs = 10_000;

/**
 * How long a member that was left may answer nothing at all (ms) before the writes that wait for it are given up: one that
 * was stopped does not refuse them.
 */
const silentMs = 2_500;

/** A watch may get a transaction of 128 keys, each with its previous value, in one response. */
const defaultMaxReceiveBytes = 256 << 20;

/** A member without a quorum fails at once instead of delaying requests. */
export const requireLeader: Readonly<Record<string, string>> = { hasleader: "true" };

/** Back-off after all members have failed. */
const retryBackoff = exponentialBackoff({ baseMs: 20, maxMs: 1_000, jitter: 0.2 });

const log = logger("etcd");

type Request<T> = (member: Member, options: CallOptions) => Promise<T>;

/**
 * The members of a cluster, of which one is used until it fails; retries requests if that is safe.
 */
export class Members {
  readonly #options: MembersOptions;
  #tls: TlsMaterial | undefined;
  #members: readonly Member[];
  #current = 0;
  #reloading = false;
  readonly #closing = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** When each member has last answered (monotonic ms), and the writes that wait for it. */
  readonly #answeredMs = new WeakMap<Member, number>();
  readonly #writes = new WeakMap<Member, Set<AbortController>>();

  /** Reads the TLS files; connections are opened on demand. */
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
      keepaliveMs = defaultKeepaliveMs,
      keepaliveTimeoutMs = defaultKeepaliveTimeoutMs,
      maxReceiveBytes = defaultMaxReceiveBytes,
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

  /** Switches to the next member, unless another request has done so already. */
  failed(member: Member, reason: string): void {
    if (this.#members[this.#current] !== member) return;
    log.v(2, "etcd member failed", { endpoint: member.address, reason });
    this.#current = (this.#current + 1) % this.#members.length;
    if (this.#members.length > 1) this.#giveUpIfSilent(member);
    if (this.#options.tls) void this.#reloadTls();
  }

  #writesOf(member: Member): Set<AbortController> {
    const found = this.#writes.get(member) ?? new Set();
    this.#writes.set(member, found);
    return found;
  }

  #giveUpIfSilent(member: Member): void {
    const { clock } = this.#options;
    const leftMs = clock.monotonicMs();
    const late = (): void => {
      if ((this.#answeredMs.get(member) ?? 0) >= leftMs) return;
      for (const write of this.#writes.get(member) ?? []) write.abort();
    };
    clock.setTimer(silentMs, late, { keepAlive: false });
  }

  /**
   * A request that changes nothing, or may be executed twice: retried until it succeeds, fails
   * permanently, or times out.
   */
  read<T>(request: Request<T>, timeoutMs = this.#requestTimeoutMs): Promise<T> {
    return this.#read(request, timeoutMs, firstReadAttemptMs);
  }

  /** The same for one that takes long by itself, such as that of a page of a list. */
  readMuch<T>(request: Request<T>): Promise<T> {
    return this.#read(request, this.#requestTimeoutMs, Number.POSITIVE_INFINITY);
  }

  #read<T>(request: Request<T>, timeoutMs: number, firstLimitMs: number): Promise<T> {
    const { readAttemptMs = defaultReadAttemptMs } = this.#options;
    const attemptMs = Math.min(readAttemptMs, timeoutMs);
    const firstMs = Math.min(attemptMs, firstLimitMs);
    return this.#track(async () => {
      const options = { timeoutMs: attemptMs, metadata: requireLeader, signal: this.closing };
      const attempt = (member: Member, tried: number): Promise<T> => {
        const hasOthers = tried < this.#members.length - 1;
        return request(member, hasOthers ? { ...options, timeoutMs: firstMs } : options);
      };
      return this.#retry(attempt, { timeoutMs, repeatUnknown: true });
    });
  }

  /** A request that must not be executed twice: retried only if it was certainly not executed. */
  write<T>(request: Request<T>): Promise<T> {
    return this.#track(() => {
      const attempt = async (member: Member): Promise<T> => {
        const silence = new AbortController();
        const writes = this.#writesOf(member).add(silence);
        const { signal } = silence;
        const options = { timeoutMs: writeAttemptMs, metadata: requireLeader, signal };
        try {
          return await request(member, options);
        } finally {
          writes.delete(silence);
        }
      };
      return this.#retry(attempt, { timeoutMs: this.#requestTimeoutMs, repeatUnknown: false });
    });
  }

  /** Refuses new requests, aborts reads and waits for writes. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#inFlight);
    for (const { channel } of this.#members) channel.close();
  }

  get #requestTimeoutMs(): number {
    return this.#options.requestTimeoutMs ?? defaultRequestTimeoutMs;
  }

  async #retry<T>(
    attempt: (member: Member, tried: number) => Promise<T>,
    { timeoutMs, repeatUnknown }: { timeoutMs: number; repeatUnknown: boolean },
  ): Promise<T> {
    const { clock } = this.#options;
    const deadline = clock.monotonicMs() + timeoutMs;
    for (let failures = 1; ; failures++) {
      const member = this.current;
      try {
        const result = await attempt(member, failures - 1);
        this.#answeredMs.set(member, clock.monotonicMs());
        return result;
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

  /**
   * Waits before the next attempt, but not while there are members that have not been tried; ends
   * early if aborted.
   */
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
      log.info("reconnecting to etcd with changed certificates");
      this.#tls = tls;
      const old = this.#members;
      this.#members = this.#connect();
      for (const { channel } of old) channel.close();
    } catch (error) {
      log.error(error, "failed to read etcd certificates, keeping the old ones");
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
