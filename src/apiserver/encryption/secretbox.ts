import { randomBytes } from "node:crypto";
import type { Transformer } from "./transformer.ts";
import { open, seal } from "./xsalsa20-poly1305.ts";

/**
 * XSalsa20 and Poly1305, as in NaCl's secretbox; Node has neither.
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/secretbox/secretbox.go.
 */
const nonceBytes = 24;

/** Encrypts with NaCl's secretbox. */
export function secretbox(name: string, secret: Buffer): Transformer {
  const prefix = Buffer.from(`k8s:enc:secretbox:v1:${name}:`);
  return {
    prefix,
    encrypt(value) {
      const nonce = randomBytes(nonceBytes);
      return Buffer.concat([prefix, nonce, seal(secret, nonce, value)]);
    },
    decrypt(value) {
      const nonce = value.subarray(prefix.length, prefix.length + nonceBytes);
      return open(secret, nonce, value.subarray(prefix.length + nonceBytes));
    },
  };
}
