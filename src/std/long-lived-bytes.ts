/** From this size on a buffer is worth an allocation of its own. */
const ownBytes = 2048;

/**
 * A buffer, with anything in it, for bytes that are kept. Node cuts buffers out of bigger ones, which stay as long as any
 * part of them does; that is fine for what is small or soon gone.
 */
export function longLivedBytes(size: number): Buffer {
  return size < ownBytes ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
}
