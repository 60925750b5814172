import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { pemBlocks } from "../pem.ts";

/** A key that service accounts' tokens may be signed with, and its id. */
export interface PublicKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The key's id: a digest, so that nobody can take it for the key. Upstream: pkg/serviceaccount/jwt.go. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const der = key.export({ type: "spki", format: "der" });
  return { id: createHash("sha256").update(der).digest("base64url"), key };
}

/** The public keys of a PEM file, which may hold public keys, private keys and certificates. */
export function readPublicKeys(pem: string, path: string): PublicKey[] {
  const blocks = pemBlocks(pem).filter((block) => !block.includes("EC PARAMETERS"));
  const keys = blocks.map((block) => publicKeyOf(createPublicKey(block)));
  if (keys.length === 0) throw new Error(`${path} does not contain a public key`);
  return keys;
}

/** The private key of a PEM file. */
export function readPrivateKey(pem: string, path: string): KeyObject {
  const block = pemBlocks(pem).find((one) => one.includes("PRIVATE KEY"));
  if (!block) throw new Error(`${path} does not contain a private key`);
  return createPrivateKey(block);
}

/** Keys by id. Without an id, every key is tried. */
export class KeySet {
  readonly keys: readonly PublicKey[];

  constructor(keys: readonly PublicKey[]) {
    this.keys = keys;
  }

  find(id: string | undefined): readonly PublicKey[] {
    return id === undefined ? this.keys : this.keys.filter((key) => key.id === id);
  }
}
