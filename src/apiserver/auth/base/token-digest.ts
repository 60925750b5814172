import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Known to this process alone, so that digests mean nothing elsewhere. */
const secret = randomBytes(32);

/** What stands for a token where it is remembered. */
export function tokenDigest(token: string): string {
  return createHmac("sha256", secret).update(token).digest("base64");
}

/** Whether two secrets are the same, in a time that doesn't depend on where they differ. */
export function sameSecret(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array): Buffer =>
    createHmac("sha256", secret).update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}
