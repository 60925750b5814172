import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** Limit of what was sealed (bytes): an object of the API has at most 1 MiB, compressed. */
const maxBytes = 8 << 20;

/** Encrypts JSON. It opens only with the same key of 32 bytes, and for the same purpose. */
export function seal(content: object, key: Uint8Array, purpose: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  cipher.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(gzipSync(JSON.stringify(content))), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Decrypts what was sealed; throws for another key or purpose. */
export function unseal<T>(sealed: Buffer, key: Uint8Array, purpose: string): T {
  const start = nonceBytes + tagBytes;
  const cipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  cipher.setAAD(Buffer.from(purpose));
  cipher.setAuthTag(sealed.subarray(nonceBytes, start));
  const content = Buffer.concat([cipher.update(sealed.subarray(start)), cipher.final()]);
  return JSON.parse(gunzipSync(content, { maxOutputLength: maxBytes }).toString()) as T;
}
