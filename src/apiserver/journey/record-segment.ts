/** The kinds of records. */
export const recordTypes = { start: 0, text: 1, write: 2, step: 3 } as const;

/** Size of a segment in memory (bytes): small, since a server at rest has one. */
const segmentBytes = 256 << 10;
/** Length and type of a record (bytes). */
export const headBytes = 3;
/** Limit of a record: its length has 16 bits. */
const maxRecord = 0xffff;
/** The first number of records in the index (count); it grows. */
const firstCapacity = 512;
/** The version of the format, in the first record of a segment. */
export const formatVersion = 1;

/** Columns of the index, in numbers for each record: where it is, and hashes of its object's name and of the owner's uid. */
const columns = 3;

/**
 * A stretch of records, one after the other: [length, type, content]. A text that is used again and again is a record of
 * its own, and a number in others; the numbers are those of the segment. Records are written once and never change, so
 * that their bytes go to the disk as they are.
 */
export class RecordSegment {
  readonly bytes: Buffer;
  /** Texts by their number; 0 is the absent one. */
  readonly texts: string[] = [""];
  /** Undefined for one that is read from a file. */
  readonly #numbers: Map<string, number> | undefined;
  /** The last text of each place of a record, and its number. */
  readonly #lastTexts: string[] = [];
  readonly #lastNumbers: number[] = [];
  #index = new Int32Array(firstCapacity * columns);
  #count = 0;
  #end = 0;
  /** Where the record begins that is under way; the end if there is none. */
  #start = 0;

  private constructor(bytes: Buffer, numbers: Map<string, number> | undefined) {
    this.bytes = bytes;
    this.#numbers = numbers;
  }

  /** An empty one, to be written to. */
  static begin(sizeBytes = segmentBytes): RecordSegment {
    const segment = new RecordSegment(Buffer.allocUnsafeSlow(sizeBytes), new Map([["", 0]]));
    segment.begin(recordTypes.start);
    segment.u8(formatVersion);
    segment.finish();
    return segment;
  }

  /** A segment whose bytes are read from a file. */
  static of(bytes: Buffer): RecordSegment {
    return new RecordSegment(bytes, undefined);
  }

  /** Bytes in use. */
  get end(): number {
    return this.#end;
  }

  /** The number of records about objects. */
  get count(): number {
    return this.#count;
  }

  /** Memory that it holds (bytes), measured roughly. */
  get heldBytes(): number {
    return this.#end + this.#index.byteLength;
  }

  offset(index: number): number {
    return this.#index[index * columns] ?? 0;
  }

  nameHash(index: number): number {
    return this.#index[index * columns + 1] ?? 0;
  }

  ownerHash(index: number): number {
    return this.#index[index * columns + 2] ?? 0;
  }

  /** The number of a text, which is written first if it is new. */
  number(text: string | undefined): number {
    if (text === undefined || text === "") return 0;
    const known = this.#numbers?.get(text);
    if (known !== undefined) return known;
    this.begin(recordTypes.text);
    this.text(text);
    this.finish();
    this.#numbers?.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /**
   * The same for a text at a place of a record (a small number): most records have the text that the one before them has
   * there, which costs a comparison instead of a search.
   */
  numberAt(place: number, text: string | undefined): number {
    if (text === undefined || text === "") return 0;
    if (this.#lastTexts[place] === text) return this.#lastNumbers[place] ?? 0;
    const number = this.number(text);
    this.#lastTexts[place] = text;
    this.#lastNumbers[place] = number;
    return number;
  }

  /** Begins a record; throws a SegmentFull if there is no room, as the others do. */
  begin(type: number): void {
    this.#start = this.#end;
    this.#reserve(headBytes);
    this.bytes[this.#start + 2] = type;
  }

  u8(value: number): void {
    const at = this.#reserve(1);
    this.bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.#reserve(2);
    this.bytes[at] = value;
    this.bytes[at + 1] = value >>> 8;
  }

  u32(value: number): void {
    const at = this.#reserve(4);
    this.bytes.writeUInt32LE(Math.min(value, maxMicros), at);
  }

  f64(value: number): void {
    const at = this.#reserve(8);
    this.bytes.writeDoubleLE(value, at);
  }

  /** A text that is used once, with its length before it. */
  text(text: string): void {
    const at = this.#reserve(2 + text.length);
    const { bytes } = this;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.#anyText(text, at);
        return;
      }
      bytes[at + 2 + index] = code;
    }
    bytes[at] = text.length;
    bytes[at + 1] = text.length >>> 8;
  }

  /** Ends a record. */
  finish(): void {
    const length = this.#end - this.#start;
    if (length > maxRecord) throw new SegmentFull();
    this.bytes[this.#start] = length;
    this.bytes[this.#start + 1] = length >>> 8;
    this.#start = this.#end;
  }

  /** Ends a record about an object, which can be found by these hashes. */
  finishIndexed(nameHash: number, ownerHash: number): void {
    const offset = this.#start;
    this.finish();
    this.#add(offset, nameHash, ownerHash);
  }

  /** Takes back the record that is under way, if there is one. */
  abandon(): void {
    this.#end = this.#start;
  }

  /** Takes a text that is in the bytes already. */
  recoverText(text: string, end: number): void {
    this.texts.push(text);
    this.#end = end;
  }

  /** The same for a record about an object. */
  recover(at: number, end: number, nameHash: number, ownerHash: number): void {
    this.#add(at, nameHash, ownerHash);
    this.#end = end;
  }

  #anyText(text: string, at: number): void {
    const bytes = Buffer.from(text);
    this.#reserve(bytes.length - text.length);
    bytes.copy(this.bytes, at + 2);
    this.bytes.writeUInt16LE(Math.min(bytes.length, maxRecord), at);
  }

  #reserve(size: number): number {
    const at = this.#end;
    if (at + size > this.bytes.length) throw new SegmentFull();
    this.#end = at + size;
    return at;
  }

  #add(offset: number, nameHash: number, ownerHash: number): void {
    const at = this.#count++ * columns;
    if (at === this.#index.length) {
      const larger = new Int32Array(this.#index.length * 2);
      larger.set(this.#index);
      this.#index = larger;
    }
    this.#index[at] = offset;
    this.#index[at + 1] = nameHash;
    this.#index[at + 2] = ownerHash;
  }
}

/** A record does not fit into the rest of a segment. */
export class SegmentFull extends Error {}

/** Limit of a duration (µs): 32 bits, more than an hour. */
const maxMicros = 0xffffffff;
