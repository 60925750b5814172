import { hashOf, hashOfName } from "./record-hash.ts";
import { formatVersion, headBytes, RecordSegment, recordTypes } from "./record-segment.ts";

/** Reads one record of a segment, in the order in which it was written. */
export class RecordReader {
  readonly #segment: RecordSegment;
  readonly type: number;
  #at: number;
  #ownerText = 0;

  constructor(segment: RecordSegment, offset: number) {
    this.#segment = segment;
    this.type = segment.bytes[offset + 2] ?? 0;
    this.#at = offset + headBytes;
  }

  u8(): number {
    return this.#segment.bytes[this.#at++] ?? 0;
  }

  u16(): number {
    this.#at += 2;
    return this.#segment.bytes.readUInt16LE(this.#at - 2);
  }

  u32(): number {
    this.#at += 4;
    return this.#segment.bytes.readUInt32LE(this.#at - 4);
  }

  f64(): number {
    this.#at += 8;
    return this.#segment.bytes.readDoubleLE(this.#at - 8);
  }

  text(): string {
    const length = this.u16();
    this.#at += length;
    return this.#segment.bytes.toString("utf8", this.#at - length, this.#at);
  }

  /** The text of a number; undefined for the absent one. */
  known(): string | undefined {
    return this.#segment.texts[this.u16()] || undefined;
  }

  /** The object of the record, with which its content begins. */
  object(): { resource: string; namespace?: string; name: string; uid?: string } {
    const [resource = "", namespace] = [this.known(), this.known()];
    this.#ownerText = this.u16();
    const [name, uid] = [this.text(), this.text()];
    return {
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      ...(uid === "" ? {} : { uid }),
    };
  }

  /** The uid of the object that this one was made for; after object(). */
  owner(): string | undefined {
    return this.#segment.texts[this.#ownerText] || undefined;
  }
}

/** The segments of a file; what a kill has cut off at its end is left out. */
export function* readSegments(file: Buffer): Generator<RecordSegment> {
  let segment: RecordSegment | undefined;
  let from = 0;
  for (let at = 0; at < file.length; ) {
    const length = at + headBytes <= file.length ? file.readUInt16LE(at) : 0;
    const type = file[at + 2] ?? 0xff;
    if (length < headBytes || at + length > file.length || type > recordTypes.step) break;
    if (type === recordTypes.start) {
      if (segment) yield segment;
      if (file[at + headBytes] !== formatVersion) return;
      segment = RecordSegment.of(file.subarray(at));
      from = at;
    } else if (segment && !recover(segment, { at: at - from, end: at - from + length, type })) {
      break;
    }
    at += length;
  }
  if (segment) yield segment;
}

interface Found {
  readonly at: number;
  readonly end: number;
  readonly type: number;
}

/** Whether the record is a valid one. */
function recover(segment: RecordSegment, { at, end, type }: Found): boolean {
  const reader = new RecordReader(segment, at);
  try {
    if (type === recordTypes.text) {
      segment.recoverText(reader.text(), end);
      return true;
    }
    const { resource, namespace = "", name } = reader.object();
    segment.recover(at, end, hashOfName(resource, namespace, name), hashOf(reader.owner()));
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
