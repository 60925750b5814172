import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { corruptStore } from "./storage-failure.ts";

/*
 * LMDB maps its file and trusts every page of it: a damaged or shortened file would crash the process or, worse, be
 * written on. So before LMDB opens a file, this walks its trees and makes sure that every page they reach is there,
 * well-formed and used once, and that no page in use is listed as free. What the records hold is checked by their own
 * checksums when they are loaded.
 *
 * Layout (LMDB data version 2, little-endian). Page: number u64 · transaction u64 · padding u16 · flags u16 · lower u16
 * · upper u16 (or page count u32 of an overflow page) · node offsets u16…. Node: low u16 · high u16 · flags u16 ·
 * key length u16 · key · data. Database: page size u32 · flags u16 · depth u16 · 4 counts u64 · root page u64.
 */
const pageHeaderSize = 24;
const nodeHeaderSize = 8;
const databaseSize = 48;
/** Replaces a big value in a node: first page u64 · transaction u64 · number of pages u64. */
const bigDataSize = 24;
const magic = 0xbeefc0de;
const dataVersion = 2;
const pageFlags = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const;
const nodeFlags = { bigData: 0x01, subDatabase: 0x02, duplicates: 0x04 } as const;
/** Far more than the size that LMDB ever maps. */
const maxMapSize = 2 ** 42;
/** The kind of the database of free pages. */
const integerKeys = 0x08;
const noPage = 0xffff_ffff_ffff_ffffn;

/** Throws CorruptError, with the file and how to restore, unless LMDB can safely open it. */
export function checkTreeFile(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    new TreeCheck(file, descriptor).run();
  } finally {
    closeSync(descriptor);
  }
}

/** A node of a leaf page. */
interface LeafNode {
  readonly flags: number;
  readonly size: number;
  readonly data: Buffer;
}

class TreeCheck {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #fileSize: number;
  #pageSize = 4096;
  #lastPage = 0;
  /** The last transaction: no page is newer. */
  #transaction = 0n;
  /** One bit per page: whether it is used by a tree or listed as free. */
  #used = new Uint8Array(0);

  constructor(file: string, descriptor: number) {
    this.#file = file;
    this.#descriptor = descriptor;
    this.#fileSize = fstatSync(descriptor).size;
  }

  run(): void {
    const meta = this.#newestMeta();
    this.#transaction = meta.readBigUInt64LE(152);
    this.#lastPage = this.#pageNumber(meta, 144);
    const size = (this.#lastPage + 1) * this.#pageSize;
    this.#require(
      size <= Math.min(Number(meta.readBigUInt64LE(40)), maxMapSize),
      "its size is wrong",
    );
    this.#used = new Uint8Array((this.#lastPage >> 3) + 1);
    const freeLists: Buffer[] = [];
    const keepList = (node: LeafNode): void => void freeLists.push(this.#dataOf(node));
    this.#walkDatabase(meta.subarray(48), keepList, integerKeys);
    this.#walkDatabase(meta.subarray(96), (node) => {
      if (node.flags & nodeFlags.subDatabase) {
        this.#require(node.size === databaseSize, "a database record has the wrong size");
        this.#walkDatabase(node.data, () => undefined);
      }
    });
    for (const list of freeLists) this.#checkFreeList(list);
  }

  #newestMeta(): Buffer {
    const first = this.#read(0, this.#pageSize);
    this.#require(first.readUInt32LE(24) === magic, "it does not start as a store does");
    this.#pageSize = first.readUInt32LE(48);
    const possible = this.#pageSize >= 512 && this.#pageSize <= 65536;
    this.#require(possible, "its page size is damaged");
    const second = this.#read(this.#pageSize, this.#pageSize);
    for (const meta of [first, second]) {
      const isMeta = meta.readUInt32LE(24) === magic && meta.readUInt16LE(18) === pageFlags.meta;
      this.#require(isMeta, "a meta page is damaged");
      const version = meta.readUInt32LE(28) & 0xffff;
      this.#require(version === dataVersion, `its LMDB data version is ${version}, not 2`);
      const sane =
        meta.readUInt32LE(48) === this.#pageSize &&
        meta.readUInt16LE(52) === integerKeys &&
        meta.readBigUInt64LE(32) === 0n;
      this.#require(sane, "a meta page is damaged");
    }
    return first.readBigUInt64LE(152) >= second.readBigUInt64LE(152) ? first : second;
  }

  #walkDatabase(database: Buffer, visit: (node: LeafNode) => void, flags = 0): void {
    this.#require(database.readUInt16LE(4) === flags, "the kind of a database is damaged");
    let entries = 0n;
    const count = (node: LeafNode): void => {
      entries++;
      visit(node);
    };
    if (database.readBigUInt64LE(40) !== noPage) {
      this.#walkPage(this.#pageNumber(database, 40), database.readUInt16LE(6), count);
    }
    this.#require(database.readBigUInt64LE(32) === entries, "a database lacks entries");
  }

  #walkPage(number: number, depth: number, visit: (node: LeafNode) => void): void {
    this.#require(depth > 0, `page ${number} is deeper than its tree`);
    this.#claim(number, 1);
    const page = this.#readPage(number, depth > 1 ? pageFlags.branch : pageFlags.leaf);
    const lower = page.readUInt16LE(20);
    const upper = page.readUInt16LE(22);
    const fits = lower <= upper && upper + pageHeaderSize <= this.#pageSize && lower % 2 === 0;
    this.#require(fits, `page ${number} is damaged`);
    let used = upper + pageHeaderSize;
    for (let index = 0; index < lower / 2; index++) {
      const offset = pageHeaderSize + page.readUInt16LE(pageHeaderSize + 2 * index);
      const size = nodeSize(page, offset, depth);
      this.#require(offset + size <= this.#pageSize, `page ${number} has a damaged node`);
      used += size + (size % 2);
      if (depth > 1) this.#walkPage(childOf(page, offset), depth - 1, visit);
      else visit(this.#leafNode(page, offset));
    }
    // Nodes are adjacent up to the end of the page.
    this.#require(used === this.#pageSize, `page ${number} has a damaged node`);
  }

  #leafNode(page: Buffer, offset: number): LeafNode {
    const start = offset + nodeHeaderSize + page.readUInt16LE(offset + 6);
    const end = offset + nodeSize(page, offset, 1);
    const size = page.readUInt32LE(offset);
    const flags = page.readUInt16LE(offset + 4);
    const node = { flags, size, data: page.subarray(start, end) };
    this.#require(!(flags & nodeFlags.duplicates), "a key has several values");
    if (flags & nodeFlags.bigData) this.#checkOverflow(node);
    return node;
  }

  #checkOverflow({ data, size }: LeafNode): void {
    const number = this.#pageNumber(data, 0);
    const count = this.#pageNumber(data, 16);
    this.#require(size + pageHeaderSize <= count * this.#pageSize, "a big value is too long");
    this.#claim(number, count);
    const page = this.#readPage(number, pageFlags.overflow);
    this.#require(page.readUInt32LE(20) === count, `overflow page ${number} is damaged`);
  }

  #dataOf({ flags, size, data }: LeafNode): Buffer {
    if (!(flags & nodeFlags.bigData)) return data;
    return this.#read(this.#pageNumber(data, 0) * this.#pageSize + pageHeaderSize, size);
  }

  /** A count, then page numbers; a negative number is the length of the run that starts at the page after it. */
  #checkFreeList(list: Buffer): void {
    const count = list.length >= 8 ? this.#pageNumber(list, 0) : 0;
    this.#require(8 * (count + 1) <= list.length, "a list of free pages is damaged");
    for (let index = 1; index <= count; index++) {
      const entry = list.readBigInt64LE(8 * index);
      if (entry === 0n) continue;
      const length = entry < 0n ? Number(-entry) : 1;
      if (entry < 0n) index++;
      this.#require(index <= count, "a list of free pages is damaged");
      this.#claim(this.#pageNumber(list, 8 * index), length, { free: true });
    }
  }

  /** Marks pages as used or free; each page may be marked once. */
  #claim(number: number, count: number, { free = false } = {}): void {
    const inside = number >= 2 && count >= 1 && number + count - 1 <= this.#lastPage;
    this.#require(inside, `page ${number} is outside of the file`);
    for (let page = number; page < number + count; page++) {
      const bit = 1 << (page & 7);
      this.#require(!((this.#used[page >> 3] ?? 0) & bit), `page ${page} is used twice`);
      this.#used[page >> 3] = (this.#used[page >> 3] ?? 0) | bit;
    }
    const end = (number + count) * this.#pageSize;
    this.#require(free || end <= this.#fileSize, "it was cut short");
  }

  #readPage(number: number, flag: number): Buffer {
    const page = this.#read(number * this.#pageSize, this.#pageSize);
    const right =
      page.readBigUInt64LE(0) === BigInt(number) &&
      page.readBigUInt64LE(8) <= this.#transaction &&
      page.readUInt16LE(18) === flag;
    this.#require(right, `page ${number} is not what it should be`);
    return page;
  }

  #read(position: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    const length = readSync(this.#descriptor, bytes, 0, size, position);
    this.#require(length === size, "it was cut short");
    return bytes;
  }

  #pageNumber(bytes: Buffer, offset: number): number {
    const number = bytes.readBigUInt64LE(offset);
    this.#require(number < 1n << 40n, "a page number is damaged");
    return Number(number);
  }

  #require(condition: boolean, problem: string): void {
    if (!condition) throw corruptStore(this.#file, problem);
  }
}

/** Size of a node with its header and key; Infinity if the header is out of bounds. */
function nodeSize(page: Buffer, offset: number, depth: number): number {
  if (offset + nodeHeaderSize > page.length) return Number.POSITIVE_INFINITY;
  const keyEnd = nodeHeaderSize + page.readUInt16LE(offset + 6);
  if (depth > 1) return keyEnd;
  const isBig = page.readUInt16LE(offset + 4) & nodeFlags.bigData;
  return keyEnd + (isBig ? bigDataSize : page.readUInt32LE(offset));
}

function childOf(page: Buffer, offset: number): number {
  return page.readUInt32LE(offset) + page.readUInt16LE(offset + 4) * 2 ** 32;
}
