/*
 * The file of bbolt, in which etcd keeps its keys; all numbers are little-endian.
 *
 *   page      id u64 · flags u16 · count u16 · number of further pages that it takes u32 · elements
 *   leaf      per element: flags u32 · offset of the key from the element u32 · key length u32 · value length u32
 *   branch    per element: offset of the key from the element u32 · key length u32 · page u64
 *   meta      magic u32 · version u32 · page size u32 · flags u32 · root bucket · free list u64 · number of pages u64 ·
 *             transaction u64 · FNV-1a of all this u64
 *   bucket    root page u64 · sequence u64; if the root page is 0, its only page follows
 *
 * Pages 0 and 1 are metas; the one of the later transaction counts. The root bucket has the other buckets by name.
 */
export const boltMagic = 0xed0cdaed;
export const boltVersion = 2;

export const pageFlags = { branch: 1, leaf: 2, meta: 4 } as const;

/** The flag of an element of a leaf that is a bucket. */
export const bucketFlag = 1;

export const pageHeaderSize = 16;
export const elementSize = 16;
export const bucketHeaderSize = 16;
/** The size of a meta, and that of its part with a checksum. */
export const metaSize = 64;
export const checkedMetaSize = 56;

/** The number of metas, which are the first pages. */
export const metaPages = 2;

/** Written in place of the page of free pages: bbolt then finds out itself which pages are free, as etcd wants it. */
export const noFreeList = 0xffff_ffff_ffff_ffffn;

const offsetBasis = 0xcbf2_9ce4_8422_2325n;
const prime = 0x100_0000_01b3n;

/** The checksum of a meta: FNV-1a of 64 bits. */
export function boltChecksum(bytes: Uint8Array): bigint {
  let hash = offsetBasis;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash;
}

/** A key with its value. */
export type BoltPair = readonly [key: Buffer, value: Uint8Array];
