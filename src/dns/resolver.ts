import type { Random } from "#/std/base/random.ts";
import type { ClusterZone } from "./cluster-zone.ts";
import type { Forwarder } from "./forward/forwarder.ts";
import { type ReplyCache, readdressed } from "./forward/reply-cache.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { makeQuery } from "./wire/make-query.ts";
import { type DnsQuery, decodeQuery, MessageError } from "./wire/query.ts";
import { readAnswers } from "./wire/read-answers.ts";
import { type DnsAnswer, rcodes, recordTypes } from "./wire/record.ts";
import { bareReply, encodeReply, errorAnswer, replyLimit } from "./wire/reply.ts";

export type DnsTransport = "udp" | "tcp";

/** The result of a query, for metrics. */
interface Resolution {
  /** Undefined if there is no reply. */
  readonly reply: Buffer | undefined;
  readonly query: DnsQuery | undefined;
  readonly source: "zone" | "cache" | "forward" | "none";
}

interface ResolverOptions {
  readonly zone: ClusterZone;
  readonly forwarder: Forwarder;
  readonly cache: ReplyCache;
  readonly loopGuard: LoopGuard;
  readonly random: Random;
  /** Called for each query that is refused by the limit of queries that wait for upstream servers. */
  onRefused?(): void;
}

/**
 * Limit of queries that wait for upstream servers, as CoreDNS has it under kubeadm (max_concurrent): each has a socket
 * and memory until its server answers.
 */
const maxWaiting = 1000;

const internetClass = 1;
const anyClass = 255;
const standardQuery = 0;

class TooManyQueriesError extends Error {
  override readonly name = "TooManyQueriesError";
}

/** Answers messages: from the cluster's zone, from the cache, or by forwarding. */
export class Resolver {
  readonly #options: ResolverOptions;
  /**
   * Forwarded questions in progress; further queries with the same question wait for the same
   * response.
   */
  readonly #asked = new Map<string, Promise<Buffer>>();
  #waiting = 0;

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
      return { reply: bareReply(request, rcodes.FormErr), query: undefined, source: "none" };
    }
    const limit = replyLimit(query, transport);
    const own = await this.#ownAnswer(query);
    if (own) {
      const reply = encodeReply(request, query, this.#shuffled(own), limit);
      return { reply, query, source: "zone" };
    }
    return this.#fromOthers(request, query, limit);
  }

  async #ownAnswer(query: DnsQuery): Promise<DnsAnswer | undefined> {
    const { question, opcode, edns } = query;
    if (edns && edns.version !== 0) return errorAnswer(rcodes.BadVers);
    if (opcode !== standardQuery) return errorAnswer(rcodes.NotImp);
    if (question.class !== internetClass && question.class !== anyClass) {
      return errorAnswer(rcodes.Refused);
    }
    const { zone, forwarder, loopGuard } = this.#options;
    if (loopGuard.recognises(question.name)) return errorAnswer(rcodes.ServFail);
    const answer = zone.answer(question.name, question.type);
    if (!answer) return forwarder.available ? undefined : errorAnswer(rcodes.Refused);
    return this.#completed(answer, question.type);
  }

  /** Follows an alias that leads out of the zone, since clients expect the complete answer. */
  async #completed(answer: DnsAnswer, type: number): Promise<DnsAnswer> {
    const [first, second] = answer.answers;
    const { forwarder } = this.#options;
    if (first?.type !== "CNAME" || second || type === recordTypes.CNAME) return answer;
    if (!forwarder.available) return answer;
    try {
      const reply = await this.#whileWaiting(() =>
        forwarder.forward(makeQuery(first.target, type)),
      );
      return { ...answer, answers: [first, ...readAnswers(reply)] };
    } catch {
      // The alias alone is still an answer.
      return answer;
    }
  }

  async #fromOthers(request: Buffer, query: DnsQuery, limit: number): Promise<Resolution> {
    const cached = this.#options.cache.find(query, request);
    if (cached) return { reply: fitted(cached, query, limit), query, source: "cache" };
    try {
      const answer = await this.#whileWaiting(() => this.#ask(request, query));
      const reply = readdressed(answer, request, query.question.end);
      return { reply: fitted(reply, query, limit), query, source: "forward" };
    } catch (error) {
      const rcode = error instanceof TooManyQueriesError ? rcodes.Refused : rcodes.ServFail;
      const reply = encodeReply(request, query, errorAnswer(rcode), limit);
      return { reply, query, source: "forward" };
    }
  }

  /** Waits for upstream servers, unless too many queries do so already. */
  async #whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= maxWaiting) {
      this.#options.onRefused?.();
      throw new TooManyQueriesError();
    }
    this.#waiting += 1;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
    }
  }

  #ask(request: Buffer, query: DnsQuery): Promise<Buffer> {
    const key = request.toString("latin1", 2).toLowerCase();
    const pending = this.#asked.get(key);
    if (pending) return pending;
    const { forwarder, cache } = this.#options;
    const asked = forwarder
      .forward(request)
      .then((reply) => {
        cache.store(query, reply);
        return reply;
      })
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
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
