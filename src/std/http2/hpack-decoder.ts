import { defaultTableBytes, fieldOverheadBytes, staticFields } from "./hpack-table.ts";
import { unpackHuffman } from "./huffman.ts";

/** Invalid header encoding. The connection must end: its table is out of step. */
export class HpackError extends Error {}

/** The header fields exceed the limit. */
export class HeadersTooLargeError extends Error {}

interface Field {
  readonly name: string;
  readonly value: string;
}

/** Decodes the header fields of one connection, with its dynamic table (RFC 7541). */
export class HpackDecoder {
  readonly #limitBytes: number;
  /** Oldest first; indexes count from the end. */
  #table: Field[] = [];
  #tableBytes = 0;
  #tableLimit = defaultTableBytes;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #scratch = Buffer.allocUnsafe(1024);

  /** Limit of one list of fields, names and values together (bytes). */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Names and values in turn. */
  decode(block: Uint8Array): string[] {
    this.#bytes = block;
    this.#at = 0;
    const fields: string[] = [];
    let sizeBytes = 0;
    while (this.#at < block.length) {
      const field = this.#field(block[this.#at] ?? 0);
      if (!field) continue;
      fields.push(field.name, field.value);
      sizeBytes += sizeOf(field);
      if (sizeBytes > this.#limitBytes) throw new HeadersTooLargeError("too many header fields");
    }
    return fields;
  }

  /** The field that begins with this byte; undefined for a change of the table's size. */
  #field(first: number): Field | undefined {
    if (first >= 0x80) return this.#known(this.#integer(7));
    if (first >= 0x40) {
      const field = this.#literal(6);
      this.#add(field);
      return field;
    }
    if (first < 0x20) return this.#literal(4);
    const limit = this.#integer(5);
    if (limit > defaultTableBytes) throw new HpackError("the table is bigger than agreed");
    this.#tableLimit = limit;
    this.#evict(0);
    return undefined;
  }

  #literal(prefixBits: number): Field {
    const number = this.#integer(prefixBits);
    const name = number === 0 ? this.#text() : this.#known(number).name;
    return { name, value: this.#text() };
  }

  #known(number: number): Field {
    if (number >= 1 && number <= staticFields.length) {
      const [name = "", value = ""] = staticFields[number - 1] ?? [];
      return { name, value };
    }
    const field = this.#table[this.#table.length - (number - staticFields.length)];
    if (!field) throw new HpackError("no such field");
    return field;
  }

  #add(field: Field): void {
    const sizeBytes = sizeOf(field);
    this.#evict(sizeBytes);
    if (sizeBytes > this.#tableLimit) return;
    this.#table.push(field);
    this.#tableBytes += sizeBytes;
  }

  /** Drops the oldest fields until there is room for this number of bytes. */
  #evict(roomBytes: number): void {
    let gone = 0;
    while (gone < this.#table.length && this.#tableBytes + roomBytes > this.#tableLimit) {
      const oldest = this.#table[gone++];
      if (oldest) this.#tableBytes -= sizeOf(oldest);
    }
    if (gone > 0) this.#table.splice(0, gone);
  }

  #integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = (this.#bytes[this.#at++] ?? 0) & most;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new HpackError("a number is cut off");
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new HpackError("a number is too big");
  }

  #text(): string {
    const packed = (this.#bytes[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const from = this.#at;
    const to = from + length;
    if (to > this.#bytes.length) throw new HpackError("a text is cut off");
    this.#at = to;
    if (!packed) return latin1(this.#bytes, from, to);
    if (this.#scratch.length < 2 * length) this.#scratch = Buffer.allocUnsafe(2 * length);
    const size = unpackHuffman(this.#bytes, from, to, this.#scratch);
    if (size < 0) throw new HpackError("a text is badly packed");
    return this.#scratch.toString("latin1", 0, size);
  }
}

const sizeOf = ({ name, value }: Field): number => name.length + value.length + fieldOverheadBytes;

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");
}
