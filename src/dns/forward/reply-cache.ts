import type { Clock } from "#/std/time/clock.ts";
import { type DnsQuery, headerLength, readQuestion, recordPlaces } from "../wire/query.ts";
import { rcodes, recordTypes } from "../wire/record.ts";

/** Limit of cached replies; the least recently used is dropped first. */
const maxReplies = 10_000;
/** Limit of their size together (bytes): a Pod may ask for names of its own with the longest replies. */
const maxBytes = 16 << 20;
/** Limits of the caching time in seconds: found, not found, failed. */
const maxPositiveSeconds = 3600;
const maxNegativeSeconds = 30;
const failureSeconds = 5;

interface CachedReply {
  readonly message: Buffer;
  readonly ttlPlaces: readonly number[];
  readonly storedAt: number;
  readonly expiresAt: number;
}

/** Replies of upstream servers, unchanged, for their TTL. */
export class ReplyCache {
  readonly #clock: Clock;
  readonly #replies = new Map<string, CachedReply>();

  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#replies.size;
  }

  /** A cached reply with this query's id and spelling, and with the remaining TTLs. */
  find(query: DnsQuery, request: Buffer): Buffer | undefined {
    const key = keyOf(query);
    const cached = this.#replies.get(key);
    if (!cached) return undefined;
    this.#drop(key);
    const now = this.#clock.monotonicMs();
    if (now >= cached.expiresAt) return undefined;
    this.#add(key, cached);
    const age = Math.floor((now - cached.storedAt) / 1000);
    return aged(cached, age, request, query.question.end);
  }

  store(query: DnsQuery, reply: Buffer): void {
    const seconds = lifetime(reply);
    if (seconds <= 0) return;
    const now = this.#clock.monotonicMs();
    const ttlPlaces = [...recordPlaces(reply, readQuestion(reply).end)]
      .filter(({ type }) => type !== recordTypes.OPT)
      .map(({ ttlAt }) => ttlAt);
    const expiresAt = now + seconds * 1000;
    const key = keyOf(query);
    this.#drop(key);
    this.#add(key, { message: reply, ttlPlaces, storedAt: now, expiresAt });
    while (this.#replies.size > maxReplies || this.#bytes > maxBytes) {
      this.#drop(this.#replies.keys().next().value ?? "");
    }
  }

  #add(key: string, cached: CachedReply): void {
    this.#replies.set(key, cached);
    this.#bytes += cached.message.length;
  }

  #drop(key: string): void {
    this.#bytes -= this.#replies.get(key)?.message.length ?? 0;
    this.#replies.delete(key);
  }
}

/** A reply for this request: its id, and its spelling of the name. */
export function readdressed(reply: Buffer, request: Buffer, questionEnd: number): Buffer {
  const copy = Buffer.from(reply);
  request.copy(copy, 0, 0, 2);
  request.copy(copy, headerLength, headerLength, questionEnd);
  return copy;
}

function aged(cached: CachedReply, age: number, request: Buffer, questionEnd: number): Buffer {
  const copy = readdressed(cached.message, request, questionEnd);
  for (const at of cached.ttlPlaces) {
    copy.writeUInt32BE(Math.max(0, copy.readUInt32BE(at) - age), at);
  }
  return copy;
}

/** The seconds for which a reply may be cached; 0 if it may not. */
function lifetime(reply: Buffer): number {
  const rcode = reply.readUInt16BE(2) & 15;
  if (rcode === rcodes.ServFail) return failureSeconds;
  if (rcode !== rcodes.NoError && rcode !== rcodes.NXDomain) return 0;
  const places = [...recordPlaces(reply, readQuestion(reply).end)];
  const answers = reply.readUInt16BE(6);
  if (rcode === rcodes.NoError && answers > 0) {
    const ttls = places.filter(({ type }) => type !== recordTypes.OPT);
    return Math.min(maxPositiveSeconds, ...ttls.map(({ ttlAt }) => reply.readUInt32BE(ttlAt)));
  }
  const soa = places.find(({ type }) => type === recordTypes.SOA);
  if (!soa) return 0;
  const minimum = reply.readUInt32BE(soa.dataAt + soa.dataLength - 4);
  return Math.min(maxNegativeSeconds, minimum, reply.readUInt32BE(soa.ttlAt));
}

function keyOf({ question, edns, checkingDisabled }: DnsQuery): string {
  const flags = `${edns?.dnssec ? "d" : ""}${edns ? "e" : ""}${checkingDisabled ? "c" : ""}`;
  return `${question.type} ${question.class} ${flags} ${question.name.toLowerCase()}`;
}
