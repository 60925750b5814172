import { parseIp } from "#/std/net/ip.ts";
import { type DnsQuery, headerLength } from "./query.ts";
import { type DnsAnswer, type DnsRecord, type Rcode, recordTypes } from "./record.ts";

/** Limit of a UDP message (bytes) that we send or offer, whatever the client's limit is. */
const maxUdpSize = 4096;
/** Size of a UDP message (bytes) that every client supports. */
const plainUdpSize = 512;
const maxTcpSize = 65_535;
const internetClass = 1;

/** Limit of a reply (bytes). */
export function replyLimit({ edns }: DnsQuery, transport: "udp" | "tcp"): number {
  if (transport === "tcp") return maxTcpSize;
  return Math.min(Math.max(edns?.udpSize ?? plainUdpSize, plainUdpSize), maxUdpSize);
}

/**
 * The reply to a query. Records that don't fit are left out: first additional ones, then answers;
 * then the reply is marked as truncated, so that the client retries by TCP.
 */
export function encodeReply(
  request: Buffer,
  query: DnsQuery,
  answer: DnsAnswer,
  limit: number,
): Buffer {
  const optLength = query.edns ? 11 : 0;
  const writer = new MessageWriter(request, query, Math.max(limit, 512) - optLength);
  const answers = writer.writeAll(answer.answers);
  const complete = answers === answer.answers.length;
  const authority = complete ? writer.writeAll(answer.authority) : 0;
  const additional = complete ? writer.writeAll(answer.additional) : 0;
  const counts = [answers, authority, additional + (query.edns ? 1 : 0)] as const;
  const truncated = !complete || authority < answer.authority.length;
  return writer.finish(answer, counts, truncated);
}

class MessageWriter {
  readonly #query: DnsQuery;
  readonly #limit: number;
  #buffer: Buffer;
  #at: number;
  /** Offsets of written names and their suffixes: later names point to them. */
  readonly #places = new Map<string, number>();

  constructor(request: Buffer, query: DnsQuery, limit: number) {
    this.#query = query;
    this.#limit = limit;
    const { end } = query.question;
    this.#buffer = Buffer.allocUnsafe(1024);
    request.copy(this.#buffer, 0, 0, end);
    this.#at = end;
    this.#note(query.question.name, headerLength);
  }

  /** Writes records as long as they fit, and returns their number. */
  writeAll(records: readonly DnsRecord[]): number {
    let count = 0;
    for (const record of records) {
      const before = this.#at;
      this.#reserve(600);
      this.#writeRecord(record);
      if (this.#at > this.#limit) {
        this.#at = before;
        return count;
      }
      count++;
    }
    return count;
  }

  finish(
    { rcode, authoritative }: DnsAnswer,
    counts: readonly [number, number, number],
    truncated: boolean,
  ): Buffer {
    const query = this.#query;
    if (query.edns) this.#writeOpt(rcode >> 4, query.edns.dnssec);
    const flags =
      0x8080 |
      (query.opcode << 11) |
      (authoritative ? 0x0400 : 0) |
      (truncated ? 0x0200 : 0) |
      (query.recursionDesired ? 0x0100 : 0) |
      (query.checkingDisabled ? 0x0010 : 0) |
      (rcode & 15);
    this.#buffer.writeUInt16BE(flags, 2);
    this.#buffer.writeUInt16BE(1, 4);
    counts.forEach((count, index) => {
      this.#buffer.writeUInt16BE(count, 6 + 2 * index);
    });
    return this.#buffer.subarray(0, this.#at);
  }

  #writeOpt(extendedRcode: number, dnssec: boolean): void {
    this.#reserve(16);
    this.#buffer[this.#at++] = 0;
    this.#uint16(recordTypes.OPT);
    this.#uint16(maxUdpSize);
    this.#uint32(extendedRcode * 2 ** 24 + (dnssec ? 0x8000 : 0));
    this.#uint16(0);
  }

  #writeRecord(record: DnsRecord): void {
    this.#writeName(record.name);
    this.#uint16(recordTypes[record.type]);
    this.#uint16(internetClass);
    this.#uint32(record.ttl);
    const lengthAt = this.#at;
    this.#at += 2;
    this.#writeData(record);
    this.#buffer.writeUInt16BE(this.#at - lengthAt - 2, lengthAt);
  }

  #writeData(record: DnsRecord): void {
    switch (record.type) {
      case "A":
      case "AAAA":
        this.#writeAddress(record.address);
        return;
      case "NS":
      case "CNAME":
      case "PTR":
        this.#writeName(record.target);
        return;
      case "TXT":
        this.#buffer[this.#at] = this.#buffer.write(record.text, this.#at + 1, 255, "latin1");
        this.#at += 1 + (this.#buffer[this.#at] ?? 0);
        return;
      case "SRV":
        for (const value of [record.priority, record.weight, record.port]) this.#uint16(value);
        // Old clients don't follow pointers here: RFC 2782.
        this.#writeName(record.target, false);
        return;
      case "SOA":
        this.#writeName(record.primary);
        this.#writeName(record.mailbox);
        for (const value of [record.serial, record.refresh, record.retry]) this.#uint32(value);
        for (const value of [record.expire, record.minimum]) this.#uint32(value);
        return;
      default:
        record satisfies never;
    }
  }

  #writeAddress(text: string): void {
    const ip = parseIp(text);
    if (!ip) throw new Error(`${text} is no IP address`);
    const bytes = ip.family === 4 ? 4 : 16;
    for (let shift = bytes - 1; shift >= 0; shift--) {
      this.#buffer[this.#at++] = Number((ip.value >> BigInt(8 * shift)) & 255n);
    }
  }

  #writeName(name: string, compressed = true): void {
    let rest = name;
    while (rest !== "") {
      const known = compressed ? this.#places.get(rest) : undefined;
      if (known !== undefined) {
        this.#uint16(0xc000 | known);
        return;
      }
      if (this.#at < 0x4000) this.#places.set(rest, this.#at);
      const [label, after] = splitLabel(rest);
      this.#buffer[this.#at] = this.#buffer.write(label, this.#at + 1, 63, "latin1");
      this.#at += 1 + (this.#buffer[this.#at] ?? 0);
      rest = after;
    }
    this.#buffer[this.#at++] = 0;
  }

  /** Stores the offset of the question's name. */
  #note(name: string, start: number): void {
    let at = start;
    for (let rest = name; rest !== ""; ) {
      this.#places.set(rest, at);
      const [label, after] = splitLabel(rest);
      at += 1 + label.length;
      rest = after;
    }
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * this.#buffer.length + bytes);
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }

  #uint16(value: number): void {
    this.#at = this.#buffer.writeUInt16BE(value, this.#at);
  }

  #uint32(value: number): void {
    this.#at = this.#buffer.writeUInt32BE(value, this.#at);
  }
}

/** The first label of a name, without backslashes, and the rest. */
function splitLabel(name: string): [string, string] {
  const match = /^((?:[^.\\]|\\.)*)\.?(.*)$/s.exec(name);
  return [(match?.[1] ?? "").replace(/\\(.)/g, "$1"), match?.[2] ?? ""];
}

/** An answer with only an error code. */
export function errorAnswer(rcode: DnsAnswer["rcode"]): DnsAnswer {
  return { rcode, authoritative: false, answers: [], authority: [], additional: [] };
}

/** A reply that is only a header, to an invalid message; undefined if it is no query. */
export function bareReply(request: Buffer, rcode: Rcode): Buffer | undefined {
  if (request.length < headerLength || (request.readUInt16BE(2) & 0x8000) !== 0) return undefined;
  const reply = Buffer.alloc(headerLength);
  reply.writeUInt16BE(request.readUInt16BE(0), 0);
  reply.writeUInt16BE(0x8000 | (request.readUInt16BE(2) & 0x7900) | rcode, 2);
  return reply;
}
