import { createHash } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The first letters of the base32 form of a text's SHA-256: part of chain names. */
export function hashName(text: string, letters: number): string {
  const digest = createHash("sha256").update(text).digest();
  let name = "";
  for (let index = 0; index < letters; index++) {
    const bit = index * 5;
    const pair = ((digest[bit >> 3] ?? 0) << 8) | (digest[(bit >> 3) + 1] ?? 0);
    name += alphabet[(pair >> (11 - (bit & 7))) & 31];
  }
  return name;
}
