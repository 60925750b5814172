import { createHash } from "node:crypto";

/** The identity of an API server among several. */
export const identity = "kube-apiserver";
const nameBytes = 16;
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const bitsPerDigit = 5;

/** A server's name by its host name: apiserver- and a digest, the same as upstream's. */
export function leaseName(hostname: string): string {
  const digest = createHash("sha256");
  for (const text of [hostname, identity]) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(text));
    digest.update(length).update(text);
  }
  return `apiserver-${base32(digest.digest().subarray(0, nameBytes))}`;
}

/** Base32 of RFC 4648 in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= bitsPerDigit) {
      bits -= bitsPerDigit;
      text += alphabet[(value >>> bits) & 31];
    }
  }
  return bits === 0 ? text : text + alphabet[(value << (bitsPerDigit - bits)) & 31];
}
