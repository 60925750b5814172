import { type FileHandle, open } from "node:fs/promises";
import {
  type BoltPair,
  boltChecksum,
  boltMagic,
  boltVersion,
  bucketFlag,
  bucketHeaderSize,
  checkedMetaSize,
  elementSize,
  metaPages,
  metaSize,
  noFreeList,
  pageFlags,
  pageHeaderSize,
} from "./bolt-format.ts";

/** Size of a write to the file (bytes). */
const writeSize = 1 << 20;
/** Limit of the elements of a page: their number has 16 bits. */
const maxElements = 0xffff;

/** A page that is written, as the branch above it names it. */
interface WrittenPage {
  readonly firstKey: Buffer;
  readonly page: number;
}

/** An element of a page: its fixed part is completed when its place is known. */
interface Element {
  readonly key: Buffer;
  readonly value: Uint8Array;
  /** The flags of a leaf's element, or the page of a branch's. */
  readonly extra: number;
}

/**
 * Writes a new file of bbolt from its start to its end: the pages of one bucket after another, then the list of buckets,
 * and at last the metas, without which it is no such file.
 */
export class BoltWriter implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #pageSize: number;
  readonly #buckets: { readonly name: string; readonly root: number }[] = [];
  #nextPage = metaPages;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #position: number;

  private constructor(file: FileHandle, pageSize: number) {
    this.#file = file;
    this.#pageSize = pageSize;
    this.#position = metaPages * pageSize;
  }

  static async create(path: string, pageSize: number): Promise<BoltWriter> {
    return new BoltWriter(await open(path, "w", 0o600), pageSize);
  }

  /** Adds a bucket; its keys come in the order of their bytes. */
  async bucket(name: string, pairs: AsyncIterable<BoltPair> | Iterable<BoltPair>): Promise<void> {
    const leaves: WrittenPage[] = [];
    let elements: Element[] = [];
    let size = pageHeaderSize;
    for await (const [key, value] of pairs) {
      const added = elementSize + key.length + value.length;
      if (
        elements.length > 0 &&
        (size + added > this.#pageSize || elements.length === maxElements)
      ) {
        leaves.push(await this.#page(pageFlags.leaf, elements));
        elements = [];
        size = pageHeaderSize;
      }
      elements.push({ key, value, extra: 0 });
      size += added;
    }
    if (elements.length > 0 || leaves.length === 0) {
      leaves.push(await this.#page(pageFlags.leaf, elements));
    }
    this.#buckets.push({ name, root: await this.#branches(leaves) });
  }

  /** Completes the file; resolves when it is on disk. */
  async finish(): Promise<void> {
    const list = this.#buckets
      .map(({ name, root }) => ({ key: Buffer.from(name), value: bucketOf(root) }))
      .sort((a, b) => Buffer.compare(a.key, b.key))
      .map((one) => ({ ...one, extra: bucketFlag }));
    const { page: root } = await this.#page(pageFlags.leaf, list);
    await this.#flush();
    for (let page = 0; page < metaPages; page++) {
      await this.#write(this.#meta(page, root), page * this.#pageSize);
    }
    await this.#file.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  /** Writes branches above pages until there is one; returns the root. */
  async #branches(pages: readonly WrittenPage[]): Promise<number> {
    let level = pages;
    while (level.length > 1) {
      const above: WrittenPage[] = [];
      let elements: Element[] = [];
      let size = pageHeaderSize;
      for (const { firstKey, page } of level) {
        const added = elementSize + firstKey.length;
        // A branch with one page would not end.
        if (elements.length > 1 && size + added > this.#pageSize) {
          above.push(await this.#page(pageFlags.branch, elements));
          elements = [];
          size = pageHeaderSize;
        }
        elements.push({ key: firstKey, value: noValue, extra: page });
        size += added;
      }
      above.push(await this.#page(pageFlags.branch, elements));
      level = above;
    }
    return level[0]?.page ?? 0;
  }

  async #page(flags: number, elements: readonly Element[]): Promise<WrittenPage> {
    const bytes = elements.reduce(
      (sum, { key, value }) => sum + elementSize + key.length + value.length,
      pageHeaderSize,
    );
    const count = Math.ceil(bytes / this.#pageSize);
    const buffer = Buffer.alloc(count * this.#pageSize);
    const page = this.#nextPage;
    this.#nextPage += count;
    writePageHeader(buffer, { page, flags, count: elements.length, further: count - 1 });
    let content = pageHeaderSize + elements.length * elementSize;
    for (const [index, { key, value, extra }] of elements.entries()) {
      const at = pageHeaderSize + index * elementSize;
      if (flags === pageFlags.leaf) {
        buffer.writeUInt32LE(extra, at);
        buffer.writeUInt32LE(content - at, at + 4);
        buffer.writeUInt32LE(key.length, at + 8);
        buffer.writeUInt32LE(value.length, at + 12);
      } else {
        buffer.writeUInt32LE(content - at, at);
        buffer.writeUInt32LE(key.length, at + 4);
        buffer.writeBigUInt64LE(BigInt(extra), at + 8);
      }
      buffer.set(key, content);
      buffer.set(value, content + key.length);
      content += key.length + value.length;
    }
    await this.#append(buffer);
    return { firstKey: elements[0]?.key ?? Buffer.alloc(0), page };
  }

  #meta(page: number, root: number): Buffer {
    const buffer = Buffer.alloc(this.#pageSize);
    writePageHeader(buffer, { page, flags: pageFlags.meta, count: 0, further: 0 });
    const meta = buffer.subarray(pageHeaderSize, pageHeaderSize + metaSize);
    meta.writeUInt32LE(boltMagic, 0);
    meta.writeUInt32LE(boltVersion, 4);
    meta.writeUInt32LE(this.#pageSize, 8);
    meta.writeBigUInt64LE(BigInt(root), 16);
    meta.writeBigUInt64LE(noFreeList, 32);
    meta.writeBigUInt64LE(BigInt(this.#nextPage), 40);
    meta.writeBigUInt64LE(BigInt(page), 48);
    meta.writeBigUInt64LE(boltChecksum(meta.subarray(0, checkedMetaSize)), checkedMetaSize);
    return buffer;
  }

  async #append(buffer: Buffer): Promise<void> {
    this.#waiting.push(buffer);
    this.#waitingBytes += buffer.length;
    if (this.#waitingBytes >= writeSize) await this.#flush();
  }

  async #flush(): Promise<void> {
    const block = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#write(block, this.#position);
    this.#position += block.length;
  }

  async #write(block: Buffer, position: number): Promise<void> {
    for (let written = 0; written < block.length; ) {
      const { bytesWritten } = await this.#file.write(
        block,
        written,
        block.length - written,
        position + written,
      );
      written += bytesWritten;
    }
  }
}

const noValue = new Uint8Array(0);

interface PageHeader {
  readonly page: number;
  readonly flags: number;
  readonly count: number;
  readonly further: number;
}

function writePageHeader(buffer: Buffer, { page, flags, count, further }: PageHeader): void {
  buffer.writeBigUInt64LE(BigInt(page), 0);
  buffer.writeUInt16LE(flags, 8);
  buffer.writeUInt16LE(count, 10);
  buffer.writeUInt32LE(further, 12);
}

function bucketOf(root: number): Buffer {
  const bytes = Buffer.alloc(bucketHeaderSize);
  bytes.writeBigUInt64LE(BigInt(root), 0);
  return bytes;
}
