import type { Clock } from "#/std/time/clock.ts";
import type { CacheConfig } from "../corefile/dns-config.ts";
import { type DnsQuery, headerLength, readQuestion, recordPlaces } from "../wire/query.ts";
import { rcodes, recordTypes } from "../wire/record.ts";

/** Limit of the size of all replies together (bytes): a Pod may ask for names of its own with the longest replies. */
const maxBytes = 16 << 20;
type CachedKind = "success" | "denial" | "failure";

interface CachedReply {
  readonly kind: CachedKind;
  readonly message: Buffer;
  readonly ttlPlaces: readonly number[];
  readonly storedAt: number;
  readonly expiresAt: number;
  /** Queries without longer gaps, and the time of the last one. */
  asked: number;
  askedAt: number;
}

interface FoundReply {
  readonly reply: Buffer;
  /** Whether it has expired. */
  readonly isStale: boolean;
  /** Whether the question should be asked again in the background. */
  readonly isDue: boolean;
}

/** Replies of upstream servers, unchanged, for their TTL; the least recently used is dropped first. */
export class ReplyCache {
  readonly #clock: Clock;
  readonly #config: CacheConfig;
  readonly #replies = new Map<string, CachedReply>();
  readonly #counts = { success: 0, denial: 0, failure: 0 };

  #bytes = 0;

  constructor(clock: Clock, config: CacheConfig) {
    this.#clock = clock;
    this.#config = config;
  }

  get size(): number {
    return this.#replies.size;
  }

  /** A cached reply with this query's id and spelling, and with the remaining TTLs. */
  find(query: DnsQuery, request: Buffer): FoundReply | undefined {
    const key = keyOf(query);
    const cached = this.#replies.get(key);
    if (!cached) return undefined;
    this.#drop(key);
    const now = this.#clock.monotonicMs();
    const { stale } = this.#config;
    const isStale = now >= cached.expiresAt;
    const isLost =
      isStale && (!stale || cached.kind === "failure" || now >= cached.expiresAt + stale.forMs);
    if (isLost) return undefined;
    this.#add(key, cached);
    const { end } = query.question;
    if (isStale) {
      const reply = withTtls(cached, request, end, () => stale?.ttl ?? 0);
      return { reply, isStale, isDue: true };
    }
    const age = Math.floor((now - cached.storedAt) / 1000);
    const reply = withTtls(cached, request, end, (ttl) => Math.max(0, ttl - age));
    return { reply, isStale, isDue: this.#isPopular(cached, now) };
  }

  store(query: DnsQuery, reply: Buffer): void {
    const kind = kindOf(reply);
    const seconds = kind === undefined ? 0 : lifetime(reply, kind, this.#config);
    if (kind === undefined || seconds <= 0) return;
    const now = this.#clock.monotonicMs();
    const key = keyOf(query);
    // A failure does not replace an answer that may still be given.
    if (kind === "failure" && this.#replies.get(key)?.kind === "success" && this.#config.stale)
      return;
    const ttlPlaces = [...recordPlaces(reply, readQuestion(reply).end)]
      .filter(({ type }) => type !== recordTypes.OPT)
      .map(({ ttlAt }) => ttlAt);
    this.#drop(key);
    const expiresAt = now + seconds * 1000;
    const times = { storedAt: now, expiresAt, asked: 0, askedAt: now };
    this.#add(key, { kind, message: reply, ttlPlaces, ...times });
    this.#trim(kind);
  }

  /** Whether it was asked for often, and expires soon. */
  #isPopular(cached: CachedReply, now: number): boolean {
    const { prefetch } = this.#config;
    if (!prefetch || prefetch.amount === 0) return false;
    cached.asked = now - cached.askedAt > prefetch.gapMs ? 1 : cached.asked + 1;
    cached.askedAt = now;
    const lastMs = ((cached.expiresAt - cached.storedAt) * prefetch.percentage) / 100;
    return cached.asked >= prefetch.amount && cached.expiresAt - now <= Math.max(lastMs, 1000);
  }

  #trim(kind: CachedKind): void {
    const most = capacityOf(kind, this.#config);
    for (const [key, cached] of this.#replies) {
      if (this.#counts[kind] <= most && this.#bytes <= maxBytes) return;
      if (cached.kind === kind || this.#bytes > maxBytes) this.#drop(key);
    }
  }

  #add(key: string, cached: CachedReply): void {
    this.#replies.set(key, cached);
    this.#counts[cached.kind]++;
    this.#bytes += cached.message.length;
  }

  #drop(key: string): void {
    const cached = this.#replies.get(key);
    if (!cached) return;
    this.#bytes -= cached.message.length;
    this.#counts[cached.kind]--;
    this.#replies.delete(key);
  }
}

const capacityOf = (kind: CachedKind, { success, denial }: CacheConfig): number =>
  kind === "success" ? success.capacity : denial.capacity;

/** A reply for this request: its id, and its spelling of the name. */
export function readdressed(reply: Buffer, request: Buffer, questionEnd: number): Buffer {
  const copy = Buffer.from(reply);
  request.copy(copy, 0, 0, 2);
  request.copy(copy, headerLength, headerLength, questionEnd);
  return copy;
}

function withTtls(
  cached: CachedReply,
  request: Buffer,
  questionEnd: number,
  ttlOf: (ttl: number) => number,
): Buffer {
  const copy = readdressed(cached.message, request, questionEnd);
  for (const at of cached.ttlPlaces) copy.writeUInt32BE(ttlOf(copy.readUInt32BE(at)), at);
  return copy;
}

/** Undefined for a reply that is never cached. */
function kindOf(reply: Buffer): CachedKind | undefined {
  const rcode = reply.readUInt16BE(2) & 15;
  if (rcode === rcodes.ServFail) return "failure";
  if (rcode === rcodes.NXDomain) return "denial";
  if (rcode !== rcodes.NoError) return undefined;
  return reply.readUInt16BE(6) > 0 ? "success" : "denial";
}

/** The seconds for which a reply may be cached; 0 if it may not. */
function lifetime(reply: Buffer, kind: CachedKind, config: CacheConfig): number {
  if (kind === "failure") return config.failureSeconds;
  if (config[kind].capacity === 0) return 0;
  const { maxSeconds, minSeconds } = config[kind];
  const places = [...recordPlaces(reply, readQuestion(reply).end)];
  const within = (ttl: number): number => Math.max(minSeconds, Math.min(maxSeconds, ttl));
  if (kind === "success") {
    const ttls = places.filter(({ type }) => type !== recordTypes.OPT);
    return within(Math.min(...ttls.map(({ ttlAt }) => reply.readUInt32BE(ttlAt))));
  }
  const soa = places.find(({ type }) => type === recordTypes.SOA);
  if (!soa) return 0;
  const minimum = reply.readUInt32BE(soa.dataAt + soa.dataLength - 4);
  return within(Math.min(minimum, reply.readUInt32BE(soa.ttlAt)));
}

function keyOf({ question, edns, checkingDisabled }: DnsQuery): string {
  const flags = `${edns?.dnssec ? "d" : ""}${edns ? "e" : ""}${checkingDisabled ? "c" : ""}`;
  return `${question.type} ${question.class} ${flags} ${question.name.toLowerCase()}`;
}
