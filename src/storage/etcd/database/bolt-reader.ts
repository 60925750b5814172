import { readFile } from "node:fs/promises";
import { CorruptError } from "../../base/storage.ts";
import {
  type BoltPair,
  boltChecksum,
  boltMagic,
  boltVersion,
  bucketFlag,
  bucketHeaderSize,
  checkedMetaSize,
  elementSize,
  metaSize,
  pageFlags,
  pageHeaderSize,
} from "./bolt-format.ts";

/** A small file of bbolt, whole in memory. */
interface BoltFile {
  readonly pageSize: number;
  /** The buckets by their names. */
  readonly buckets: ReadonlyMap<string, readonly BoltPair[]>;
}

interface Meta {
  readonly pageSize: number;
  readonly root: number;
  readonly transaction: bigint;
}

/** Reads a file of bbolt that no program has open. For small ones: all of it is read. */
export async function readBolt(path: string): Promise<BoltFile> {
  const bytes = await readFile(path);
  try {
    const meta = latestMeta(bytes);
    if (!meta) throw new Error("it has no valid meta page");
    const pages = new Pages(bytes, meta.pageSize);
    const buckets = new Map<string, readonly BoltPair[]>();
    for (const { flags, key, value } of pages.elements(meta.root)) {
      if ((flags & bucketFlag) !== 0) buckets.set(String(key), pages.bucket(value));
    }
    return { pageSize: meta.pageSize, buckets };
  } catch (error) {
    throw new CorruptError(`${path} is no database of etcd: ${(error as Error).message}`);
  }
}

/** The meta of the last complete transaction. The second page is where the size of pages says. */
function latestMeta(bytes: Buffer): Meta | undefined {
  const first = metaAt(bytes, 0);
  // Without the first, the page size is looked for: powers of two from 1 KiB to 64 KiB.
  const sizes = first ? [first.pageSize] : Array.from({ length: 7 }, (_, index) => 1024 << index);
  const all = [first, ...sizes.map((size) => metaAt(bytes, size))].filter(
    (one) => one !== undefined,
  );
  return all.sort((a, b) => Number(b.transaction - a.transaction))[0];
}

function metaAt(bytes: Buffer, start: number): Meta | undefined {
  const meta = bytes.subarray(start + pageHeaderSize, start + pageHeaderSize + metaSize);
  if (meta.length < metaSize) return undefined;
  if (meta.readUInt32LE(0) !== boltMagic || meta.readUInt32LE(4) !== boltVersion) return undefined;
  const sum = boltChecksum(meta.subarray(0, checkedMetaSize));
  if (meta.readBigUInt64LE(checkedMetaSize) !== sum) return undefined;
  return {
    pageSize: meta.readUInt32LE(8),
    root: Number(meta.readBigUInt64LE(16)),
    transaction: meta.readBigUInt64LE(48),
  };
}

interface LeafElement {
  readonly flags: number;
  readonly key: Buffer;
  readonly value: Buffer;
}

class Pages {
  readonly #bytes: Buffer;
  readonly #pageSize: number;

  constructor(bytes: Buffer, pageSize: number) {
    this.#bytes = bytes;
    this.#pageSize = pageSize;
  }

  /** The pairs of a bucket; its value has its only page if it is small. */
  bucket(value: Buffer): BoltPair[] {
    const root = Number(value.readBigUInt64LE(0));
    const elements =
      root === 0 ? this.#leaf(value.subarray(bucketHeaderSize)) : this.elements(root);
    return Array.from(elements, ({ key, value: held }) => [key, held] as const);
  }

  /** The elements of all leaves below a page, in order. */
  *elements(number: number): Generator<LeafElement> {
    const page = this.#bytes.subarray(number * this.#pageSize);
    const flags = page.readUInt16LE(8);
    if (flags === pageFlags.leaf) {
      yield* this.#leaf(page);
    } else if (flags === pageFlags.branch) {
      const count = page.readUInt16LE(10);
      for (let index = 0; index < count; index++) {
        const at = pageHeaderSize + index * elementSize;
        yield* this.elements(Number(page.readBigUInt64LE(at + 8)));
      }
    } else {
      throw new Error(`page ${number} has flags ${flags}`);
    }
  }

  *#leaf(page: Buffer): Generator<LeafElement> {
    const count = page.readUInt16LE(10);
    for (let index = 0; index < count; index++) {
      const at = pageHeaderSize + index * elementSize;
      const start = at + page.readUInt32LE(at + 4);
      const middle = start + page.readUInt32LE(at + 8);
      const end = middle + page.readUInt32LE(at + 12);
      yield {
        flags: page.readUInt32LE(at),
        key: page.subarray(start, middle),
        value: page.subarray(middle, end),
      };
    }
  }
}
