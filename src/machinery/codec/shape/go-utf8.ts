import { isUtf8 } from "node:buffer";

/**
 * Decodes bytes as Go does: each byte outside a valid sequence becomes one U+FFFD, where
 * JavaScript's decoders replace several bytes by one.
 */
export function goUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let text = "";
  for (let pos = 0; pos < bytes.length; ) {
    const size = sequenceLength(bytes, pos);
    text += size === 0 ? "\uFFFD" : bytes.toString("utf8", pos, pos + size);
    pos += Math.max(size, 1);
  }
  return text;
}

/** The length of the valid sequence that starts here, or 0. */
function sequenceLength(bytes: Buffer, pos: number): number {
  for (let size = 1; size <= 4 && pos + size <= bytes.length; size++) {
    if (isUtf8(bytes.subarray(pos, pos + size))) return size;
  }
  return 0;
}
