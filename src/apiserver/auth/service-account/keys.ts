import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { keyIdOf } from "#/std/x509/jwt.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";

/** A public key of service account tokens, and its id. */
export interface PublicKey {
  readonly id: string;
  readonly key: KeyObject;
  /** For verifying old tokens only; not published. */
  readonly isHidden?: boolean;
}

/** Source of the keys that verify tokens. */
export interface VerificationKeys {
  /** A new list each time it has changed. */
  readonly keys: readonly PublicKey[];
  /** All keys if there is no id. */
  find(id: string | undefined): readonly PublicKey[];
  /** Fetches the key of an id if it exists; absent if all keys are always known. */
  learn?(id: string): Promise<void>;
}

/** A public key with its id. */
export const publicKeyOf = (key: KeyObject): PublicKey => ({ id: keyIdOf(key), key });

/** The public keys of a PEM file, which may have public keys, private keys and certificates. */
export function readPublicKeys(pem: string, path: string): PublicKey[] {
  const blocks = readPemBlocks(pem).filter(({ type }) => type !== "EC PARAMETERS");
  const keys = blocks.map(({ text }) => publicKeyOf(createPublicKey(text)));
  if (keys.length === 0) throw new Error(`${path} does not contain a public key`);
  return keys;
}

/** The private key of a PEM file. */
export function readPrivateKey(pem: string, path: string): KeyObject {
  const block = readPemBlocks(pem).find(({ type }) => type.endsWith("PRIVATE KEY"));
  if (!block) throw new Error(`${path} does not contain a private key`);
  return createPrivateKey(block.text);
}

type KeySource = () => readonly PublicKey[];

/** Keys by id, of sources that may change. Without an id, every key is tried. */
export class KeySet implements VerificationKeys {
  readonly #sources: readonly KeySource[];
  #lists: readonly (readonly PublicKey[])[] = [];
  #keys: readonly PublicKey[] = [];

  constructor(...sources: readonly KeySource[]) {
    this.#sources = sources;
  }

  get keys(): readonly PublicKey[] {
    const lists = this.#sources.map((source) => source());
    if (lists.some((list, index) => list !== this.#lists[index])) {
      this.#lists = lists;
      this.#keys = lists.flat();
    }
    return this.#keys;
  }

  find(id: string | undefined): readonly PublicKey[] {
    return id === undefined ? this.keys : this.keys.filter((key) => key.id === id);
  }
}
