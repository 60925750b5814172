/** Size (bytes) from which a buffer has its own allocation. */
const ownBytes = 1024;
/** Size of the slab (bytes) for smaller ones. */
const slabBytes = 8 * 1024;

let slab: Buffer = Buffer.alloc(0);
let slabEnd = 0;

/**
 * An uninitialized buffer for bytes that are kept. Node allocates buffers of up to 32 KiB from a
 * pool, which stays in memory as long as any part of it: a kept part would keep its neighbours.
 */
export function longLivedBytes(size: number): Buffer {
  if (size >= ownBytes) return Buffer.allocUnsafeSlow(size);
  if (slabEnd + size > slab.length) {
    slab = Buffer.allocUnsafeSlow(slabBytes);
    slabEnd = 0;
  }
  const bytes = slab.subarray(slabEnd, slabEnd + size);
  slabEnd += size;
  return bytes;
}

/** The same bytes, to be kept: a part of a bigger buffer is copied. */
export function keptBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const kept = longLivedBytes(bytes.length);
  kept.set(bytes);
  return kept;
}
