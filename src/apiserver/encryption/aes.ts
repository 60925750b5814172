import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Transformer } from "./transformer.ts";

/** Upstream: staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/aes/aes.go. */
const blockBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** AES-CBC with PKCS#7 padding. Weak against an attacker who can change the store, but part of the API. */
export function aesCbc(name: string, secret: Buffer): Transformer {
  const algorithm = `aes-${secret.length * 8}-cbc`;
  const prefix = Buffer.from(`k8s:enc:aescbc:v1:${name}:`);
  return {
    prefix,
    encrypt(value) {
      const iv = randomBytes(blockBytes);
      const cipher = createCipheriv(algorithm, secret, iv);
      return Buffer.concat([prefix, iv, cipher.update(value), cipher.final()]);
    },
    decrypt(value) {
      const iv = value.subarray(prefix.length, prefix.length + blockBytes);
      const cipher = createDecipheriv(algorithm, secret, iv);
      return Buffer.concat([
        cipher.update(value.subarray(prefix.length + blockBytes)),
        cipher.final(),
      ]);
    },
  };
}

/** AES-GCM with a random nonce. */
export function aesGcm(name: string, secret: Buffer): Transformer {
  const prefix = Buffer.from(`k8s:enc:aesgcm:v1:${name}:`);
  return {
    prefix,
    encrypt: (value, key) => Buffer.concat([prefix, sealGcm(secret, value, key)]),
    decrypt: (value, key) => openGcm(secret, value.subarray(prefix.length), key),
  };
}

/** Nonce, ciphertext and tag, concatenated. */
export function sealGcm(secret: Uint8Array, value: Uint8Array, key: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(gcm(secret), secret, nonce);
  cipher.setAAD(Buffer.from(key));
  return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the result of sealGcm(). */
export function openGcm(secret: Uint8Array, sealed: Uint8Array, key: string): Buffer {
  if (sealed.length < nonceBytes + tagBytes)
    throw new Error("the stored data was shorter than the required size");
  const cipher = createDecipheriv(gcm(secret), secret, sealed.subarray(0, nonceBytes));
  cipher.setAAD(Buffer.from(key));
  cipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const body = sealed.subarray(nonceBytes, sealed.length - tagBytes);
  return Buffer.concat([cipher.update(body), cipher.final()]);
}

const gcm = (secret: Uint8Array) => `aes-${secret.length * 8}-gcm` as "aes-256-gcm";
