import { recordTypes } from "./record.ts";

/** The query of a client. */
export interface DnsQuery {
  readonly id: number;
  readonly opcode: number;
  readonly recursionDesired: boolean;
  readonly checkingDisabled: boolean;
  readonly question: DnsQuestion;
  /** Undefined if the client does not use EDNS. */
  readonly edns: Edns | undefined;
}

interface DnsQuestion {
  /** As in the query, without a final dot; dots inside a label have a backslash. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  /** Offset of the end of the question in the message. */
  readonly end: number;
}

/** The extension mechanism: RFC 6891. */
interface Edns {
  readonly udpSize: number;
  readonly version: number;
  /** Whether the client requests DNSSEC records. */
  readonly dnssec: boolean;
}

/** An invalid message; `id` is set if a reply can be sent. */
export class MessageError extends Error {
  override readonly name = "MessageError";
}

export const headerLength = 12;
const responseBit = 0x8000;

/**
 * Parses a client's message; throws MessageError if it is invalid. Never reads past the message.
 */
export function decodeQuery(message: Buffer): DnsQuery {
  if (message.length < headerLength) throw new MessageError("short message");
  const flags = message.readUInt16BE(2);
  if (flags & responseBit) throw new MessageError("not a query");
  if (message.readUInt16BE(4) !== 1) throw new MessageError("not one question");
  const question = readQuestion(message);
  return {
    id: message.readUInt16BE(0),
    opcode: (flags >> 11) & 15,
    recursionDesired: (flags & 0x0100) !== 0,
    checkingDisabled: (flags & 0x0010) !== 0,
    question,
    edns: readEdns(message, question.end),
  };
}

/** Reads the first question of a message. */
export function readQuestion(message: Buffer): DnsQuestion {
  const { name, end } = readName(message, headerLength);
  if (end + 4 > message.length) throw new MessageError("short question");
  return {
    name,
    type: message.readUInt16BE(end),
    class: message.readUInt16BE(end + 2),
    end: end + 4,
  };
}

/** The position of a record in a message. */
interface RecordPlace {
  readonly type: number;
  readonly class: number;
  /** Offset of its TTL. */
  readonly ttlAt: number;
  readonly dataAt: number;
  readonly dataLength: number;
  /** Offset of the next record. */
  readonly end: number;
}

/** Iterates over the records after the question, of all sections. */
export function* recordPlaces(message: Buffer, start: number): Generator<RecordPlace> {
  const counts = [6, 8, 10].map((at) => message.readUInt16BE(at));
  let at = start;
  for (let left = counts.reduce((sum, count) => sum + count, 0); left > 0; left--) {
    const nameEnd = skipName(message, at);
    if (nameEnd + 10 > message.length) throw new MessageError("short record");
    const dataLength = message.readUInt16BE(nameEnd + 8);
    const dataAt = nameEnd + 10;
    at = dataAt + dataLength;
    if (at > message.length) throw new MessageError("short record");
    yield {
      type: message.readUInt16BE(nameEnd),
      class: message.readUInt16BE(nameEnd + 2),
      ttlAt: nameEnd + 4,
      dataAt,
      dataLength,
      end: at,
    };
  }
}

function readEdns(message: Buffer, start: number): Edns | undefined {
  for (const { type, class: udpSize, ttlAt } of recordPlaces(message, start)) {
    if (type !== recordTypes.OPT) continue;
    const flags = message.readUInt32BE(ttlAt);
    return { udpSize, version: (flags >> 16) & 255, dnssec: (flags & 0x8000) !== 0 };
  }
  return undefined;
}

/**
 * Limit of pointers in one name: each label can be behind one. Without it a message of pointers
 * alone would take long.
 */
const maxPointers = 127;

/** Reads a name, following pointers, which may only lead backwards. Throws MessageError. */
export function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let end: number | undefined;
  let length = 0;
  let pointers = 0;
  for (let at = start; ; ) {
    const size = message[at];
    if (size === undefined) throw new MessageError("short name");
    if (size === 0) return { name: labels.join("."), end: end ?? at + 1 };
    if (size >= 0xc0) {
      const target = ((size & 0x3f) << 8) | (message[at + 1] ?? 0);
      if (target >= at || ++pointers > maxPointers) throw new MessageError("bad pointer");
      end ??= at + 2;
      at = target;
      continue;
    }
    length += size + 1;
    if (size > 63 || length > 254 || at + 1 + size > message.length) {
      throw new MessageError("bad name");
    }
    const label = message.toString("latin1", at + 1, at + 1 + size);
    labels.push(label.replace(/[.\\]/g, "\\$&"));
    at += size + 1;
  }
}

function skipName(message: Buffer, start: number): number {
  for (let at = start; ; ) {
    const size = message[at];
    if (size === undefined) throw new MessageError("short name");
    if (size === 0) return at + 1;
    if (size >= 0xc0) return at + 2;
    at += size + 1;
  }
}
