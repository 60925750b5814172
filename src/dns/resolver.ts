import type { Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { BlockConfig } from "./corefile/dns-config.ts";
import { readdressed } from "./forward/reply-cache.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { rewriteQuery } from "./rewrite-query.ts";
import {
  forwardFor,
  type RunningBlock,
  type RunningConfig,
  type RunningForward,
} from "./running-config.ts";
import { makeQuery } from "./wire/make-query.ts";
import { type DnsQuery, decodeQuery, MessageError } from "./wire/query.ts";
import { readAnswers } from "./wire/read-answers.ts";
import { type DnsAnswer, type Rcode, rcodes, recordTypes } from "./wire/record.ts";
import { bareReply, encodeReply, errorAnswer, replyLimit } from "./wire/reply.ts";

export type DnsTransport = "udp" | "tcp";

/** The result of a query, for metrics and logs. */
export interface Resolution {
  /** Undefined if there is no reply. */
  readonly reply: Buffer | undefined;
  readonly query: DnsQuery | undefined;
  readonly source: "kubernetes" | "hosts" | "cache" | "forward" | "none";
  /** Undefined if no block has the name. */
  readonly block: BlockConfig | undefined;
  /** The failure of forwarding. */
  readonly error?: unknown;
}

interface ResolverOptions {
  config(): RunningConfig;
  readonly loopGuard: LoopGuard;
  readonly random: Random;
  readonly clock: Clock;
  /** Called for each query that is refused by the limit of queries that wait for upstream servers. */
  onRefused?(): void;
  /** Called for each question that is asked again before its answer expires. */
  onPrefetch?(): void;
  /** Called for each expired answer that is given. */
  onStale?(): void;
}

const internetClass = 1;
const anyClass = 255;
const standardQuery = 0;

class TooManyQueriesError extends Error {
  override readonly name = "TooManyQueriesError";
}

/** A query on its way through a block. */
interface Way {
  readonly request: Buffer;
  readonly query: DnsQuery;
  readonly limit: number;
  readonly block: RunningBlock;
}

/** Answers messages: from tables, from the cluster's zones, from the cache, or by forwarding. */
export class Resolver {
  readonly #options: ResolverOptions;
  /**
   * Forwarded questions in progress, by block; further queries with the same question wait for the same response.
   */
  readonly #asked = new WeakMap<RunningForward, Map<string, Promise<Buffer>>>();

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** Never throws; a query that can't be answered gets an error reply, or none. */
  async resolve(request: Buffer, transport: DnsTransport): Promise<Resolution> {
    let query: DnsQuery;
    try {
      query = decodeQuery(request);
    } catch (error) {
      if (!(error instanceof MessageError || error instanceof RangeError)) throw error;
      const reply = bareReply(request, rcodes.FormErr);
      return { reply, query: undefined, source: "none", block: undefined };
    }
    const limit = replyLimit(query, transport);
    const failed = (rcode: Rcode, block?: BlockConfig): Resolution => {
      const reply = encodeReply(request, query, errorAnswer(rcode), limit);
      return { reply, query, source: "kubernetes", block };
    };
    const refusal = this.#refusalOf(query);
    if (refusal !== undefined) return failed(refusal);
    const block = this.#options.config().blockFor(query.question.name);
    if (!block) return failed(rcodes.Refused);
    const rewritten = rewriteQuery(block.config.rewrites, request, query);
    if (rewritten === undefined) return await this.#answer({ request, query, limit, block });
    if (rewritten === "impossible") return failed(rcodes.ServFail, block.config);
    const { request: changed, query: asked, restore } = rewritten;
    const found = await this.#answer({ request: changed, query: asked, limit: 65_535, block });
    const reply = found.reply && fitted(restore(found.reply), query, limit);
    return { ...found, reply, query };
  }

  #refusalOf({ question, opcode, edns }: DnsQuery): Rcode | undefined {
    if (edns && edns.version !== 0) return rcodes.BadVers;
    if (opcode !== standardQuery) return rcodes.NotImp;
    if (question.class !== internetClass && question.class !== anyClass) return rcodes.Refused;
    return this.#options.loopGuard.recognises(question.name) ? rcodes.ServFail : undefined;
  }

  async #answer(way: Way): Promise<Resolution> {
    const { request, query, limit, block } = way;
    const { name, type } = query.question;
    const local = block.local(name, type);
    if (local) {
      const answer = await this.#completed(block, local.answer, type);
      const reply = encodeReply(request, query, this.#shuffled(answer), limit);
      return { reply, query, source: local.plugin, block: block.config };
    }
    const forward = forwardFor(block, name);
    if (forward) return await this.#fromOthers(way, forward);
    const reply = encodeReply(request, query, errorAnswer(rcodes.Refused), limit);
    return { reply, query, source: "kubernetes", block: block.config };
  }

  /** Follows an alias that leads out of the zone, since clients expect the complete answer. */
  async #completed(block: RunningBlock, answer: DnsAnswer, type: number): Promise<DnsAnswer> {
    const [first, second] = answer.answers;
    if (first?.type !== "CNAME" || second || type === recordTypes.CNAME) return answer;
    const forward = forwardFor(block, first.target);
    if (!forward) return answer;
    try {
      const reply = await this.#whileWaiting(forward, () =>
        forward.forwarder.forward(makeQuery(first.target, type)),
      );
      return { ...answer, answers: [first, ...readAnswers(reply)] };
    } catch {
      // The alias alone is still an answer.
      return answer;
    }
  }

  async #fromOthers(way: Way, forward: RunningForward): Promise<Resolution> {
    const { request, query, limit, block } = way;
    const common = { query, block: block.config };
    const cached = block.cache?.find(query, request);
    const verifyMs = cached?.isStale ? block.config.cache?.stale?.verifyMs : undefined;
    if (cached && verifyMs === undefined) {
      if (cached.isDue) this.#askAgain(way, forward, cached.isStale);
      if (cached.isStale) this.#options.onStale?.();
      return { ...common, reply: fitted(cached.reply, query, limit), source: "cache" };
    }
    try {
      const asked = this.#whileWaiting(forward, () => this.#ask(way, forward));
      const answer = await (verifyMs ? within(asked, verifyMs, this.#options.clock) : asked);
      const reply = readdressed(answer, request, query.question.end);
      return { ...common, reply: fitted(reply, query, limit), source: "forward" };
    } catch (error) {
      if (cached) {
        this.#options.onStale?.();
        return { ...common, reply: fitted(cached.reply, query, limit), source: "cache" };
      }
      const rcode = error instanceof TooManyQueriesError ? rcodes.Refused : rcodes.ServFail;
      const reply = encodeReply(request, query, errorAnswer(rcode), limit);
      return { ...common, reply, source: "forward", error };
    }
  }

  /** Asks in the background; the cached answer remains if that fails. */
  #askAgain(way: Way, forward: RunningForward, isStale: boolean): void {
    if (this.#inProgress(forward).has(keyOf(way.request))) return;
    if (!isStale) this.#options.onPrefetch?.();
    this.#whileWaiting(forward, () => this.#ask(way, forward)).catch(() => undefined);
  }

  /** Waits for upstream servers, unless too many queries do so already. */
  async #whileWaiting<T>(forward: RunningForward, work: () => Promise<T>): Promise<T> {
    if (forward.waiting >= forward.config.maxConcurrent) {
      this.#options.onRefused?.();
      throw new TooManyQueriesError();
    }
    forward.waiting += 1;
    try {
      return await work();
    } finally {
      forward.waiting -= 1;
    }
  }

  #inProgress(forward: RunningForward): Map<string, Promise<Buffer>> {
    const found = this.#asked.get(forward) ?? new Map<string, Promise<Buffer>>();
    this.#asked.set(forward, found);
    return found;
  }

  #ask({ request, query, block }: Way, forward: RunningForward): Promise<Buffer> {
    const key = keyOf(request);
    const inProgress = this.#inProgress(forward);
    const pending = inProgress.get(key);
    if (pending) return pending;
    const asked = forward.forwarder
      .forward(request)
      .then((reply) => {
        block.cache?.store(query, reply);
        return reply;
      })
      .finally(() => inProgress.delete(key));
    inProgress.set(key, asked);
    return asked;
  }

  /** Shuffles addresses, so that clients spread. */
  #shuffled(answer: DnsAnswer): DnsAnswer {
    const [first] = answer.answers;
    if (answer.answers.length < 2 || first?.type === "CNAME") return answer;
    const answers = [...answer.answers];
    for (let left = answers.length; left > 1; left--) {
      const index = Math.floor(this.#options.random() * left);
      const [last, picked] = [answers[left - 1], answers[index]];
      if (last && picked) [answers[left - 1], answers[index]] = [picked, last];
    }
    return { ...answer, answers };
  }
}

/** The question and its flags, without the id. */
const keyOf = (request: Buffer): string => request.toString("latin1", 2).toLowerCase();

async function within<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _timer = clock.setTimer(ms, () => reject(new Error("no answer in time")));
  work.catch(() => undefined);
  return await Promise.race([work, promise]);
}

/**
 * A reply that is too long is cut to its question and marked as truncated, so that the client
 * retries by TCP.
 */
function fitted(reply: Buffer, { question }: DnsQuery, limit: number): Buffer {
  if (reply.length <= limit) return reply;
  const cut = Buffer.from(reply.subarray(0, question.end));
  cut.writeUInt16BE(cut.readUInt16BE(2) | 0x0200, 2);
  cut.fill(0, 6, 12);
  return cut;
}
