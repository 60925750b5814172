import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** A secret of this process, so that digests are useless elsewhere. */
const secret = randomBytes(32);

/** The key of a token in caches. */
export function tokenDigest(token: string): string {
  return createHmac("sha256", secret).update(token).digest("base64");
}

/** Compares two secrets in constant time. */
export function sameSecret(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array): Buffer =>
    createHmac("sha256", secret).update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}
