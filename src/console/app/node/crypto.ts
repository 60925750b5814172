/** What kubectl uses of Node's "crypto". */
import { absent } from "./absent.ts";
import { Buffer } from "./buffer.ts";
import { sha256 } from "./sha256.ts";

export const randomUUID = (): string => crypto.randomUUID();

export const randomBytes = (size: number): Buffer => crypto.getRandomValues(Buffer.alloc(size));

class Sha256 {
  readonly #parts: Uint8Array[] = [];

  update(data: string | Uint8Array): this {
    this.#parts.push(typeof data === "string" ? Buffer.from(data) : data);
    return this;
  }

  digest(encoding?: string): Buffer | string {
    const bytes = Buffer.from(sha256(Buffer.concat(this.#parts)));
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
}

export function createHash(name: string): Sha256 {
  if (name !== "sha256") throw new Error(`a page computes no ${name}`);
  return new Sha256();
}

export const X509Certificate = absent("certificates");
export const createPrivateKey = absent("private keys");
export const createPublicKey = absent("public keys");
export const verify = absent("signatures");
