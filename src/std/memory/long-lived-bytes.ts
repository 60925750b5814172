/** From this size on a buffer is worth an allocation of its own. */
const ownBytes = 1024;
/** What smaller ones are cut out of. */
const slabBytes = 8 * 1024;

let slab: Buffer = Buffer.alloc(0);
let slabEnd = 0;

/**
 * A buffer, with anything in it, for bytes that are kept. Node cuts buffers of up to 32 KiB out of bigger ones, which stay
 * as long as any part of them does: one that is kept would keep whatever was around it.
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

/** The same bytes, to be kept: what is a part of a bigger buffer is copied out of it. */
export function keptBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const kept = longLivedBytes(bytes.length);
  kept.set(bytes);
  return kept;
}
