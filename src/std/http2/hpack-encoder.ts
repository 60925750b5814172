import { defaultTableBytes, fieldOverheadBytes, staticFields } from "./hpack-table.ts";

/** Fields whose values rarely repeat: they would only displace others in the table. */
const changing: ReadonlySet<string> = new Set([
  "audit-id",
  "content-length",
  "date",
  "etag",
  "location",
  "set-cookie",
  "warning",
]);

const staticNames = new Map<string, number>();
const staticValues = new Map<string, Map<string, number>>();
for (const [index, [name, value]] of staticFields.entries()) {
  if (!staticNames.has(name)) staticNames.set(name, index + 1);
  if (value === "") continue;
  const values = staticValues.get(name) ?? new Map<string, number>();
  staticValues.set(name, values.set(value, index + 1));
}

/**
 * Encodes the header fields of one connection (RFC 7541). Fields are added to the peer's table
 * until it is full, and never evicted, so that a field's index stays known.
 */
export class HpackEncoder {
  /** By name and value: number of fields added to the table before. */
  readonly #places = new Map<string, Map<string, number>>();
  #count = 0;
  #tableBytes = 0;
  #tableLimit = defaultTableBytes;
  #mustClear = false;
  #out = Buffer.allocUnsafe(1024);
  #at = 0;

  /** Sets the size of the peer's table. */
  setTableLimit(bytes: number): void {
    if (bytes >= this.#tableLimit) return;
    this.#tableLimit = 0;
    this.#mustClear = true;
    this.#places.clear();
  }

  /** Names and values alternate, names in lower case; valid until the next call. */
  encode(fields: readonly string[]): Uint8Array {
    this.#at = 0;
    if (this.#mustClear) this.#integer(0x20, 5, 0);
    this.#mustClear = false;
    for (let index = 0; index < fields.length; index += 2) {
      this.#field(fields[index] ?? "", fields[index + 1] ?? "");
    }
    return this.#out.subarray(0, this.#at);
  }

  #field(name: string, value: string): void {
    const known = staticValues.get(name)?.get(value);
    const isStable = !changing.has(name);
    const place = isStable ? this.#places.get(name)?.get(value) : undefined;
    if (known !== undefined || place !== undefined) {
      this.#integer(0x80, 7, known ?? staticFields.length + this.#count - (place ?? 0));
      return;
    }
    const isAdded = isStable && this.#add(name, value);
    const number = staticNames.get(name) ?? 0;
    if (isAdded) this.#integer(0x40, 6, number);
    else this.#integer(0, 4, number);
    if (number === 0) this.#text(name);
    this.#text(value);
  }

  #add(name: string, value: string): boolean {
    const sizeBytes = name.length + value.length + fieldOverheadBytes;
    if (this.#tableBytes + sizeBytes > this.#tableLimit) return false;
    this.#tableBytes += sizeBytes;
    const places = this.#places.get(name) ?? new Map<string, number>();
    this.#places.set(name, places.set(value, this.#count++));
    return true;
  }

  #integer(flags: number, prefixBits: number, value: number): void {
    this.#reserve(6);
    const most = (1 << prefixBits) - 1;
    if (value < most) {
      this.#out[this.#at++] = flags | value;
      return;
    }
    this.#out[this.#at++] = flags | most;
    let rest = value - most;
    for (; rest >= 0x80; rest >>>= 7) this.#out[this.#at++] = (rest & 0x7f) | 0x80;
    this.#out[this.#at++] = rest;
  }

  #text(text: string): void {
    this.#integer(0, 7, text.length);
    this.#reserve(text.length);
    this.#at += this.#out.write(text, this.#at, "latin1");
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#at + bytes));
    grown.set(this.#out.subarray(0, this.#at));
    this.#out = grown;
  }
}
