import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { certificateSpecs } from "../access/certificates.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";

/** What the servers of a cluster share: their settings, and the authorities and keys in the folder `pki`. */
export interface SharedKeys {
  readonly settings: ClusterSettings;
  /** The members of etcd, NAME=URL each. */
  readonly members: readonly string[];
  /** By their path below that folder, in base64. */
  readonly files: Readonly<Record<string, string>>;
}

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** Limit of the unpacked keys (bytes): a Secret has at most 1 MiB. */
const maxBytes = 8 << 20;

/** A key that only the printed command has. */
export const generateServerKey = (): string => randomBytes(keyBytes).toString("hex");

export const isServerKey = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Reads what this server shares: everything in `pki` but the certificates of its own. */
export async function readSharedKeys(
  { pki }: ClusterPaths,
  settings: ClusterSettings,
  members: readonly string[],
): Promise<SharedKeys> {
  const own = new Set(
    certificateSpecs(settings, "").flatMap(({ file }) => [`${file}.crt`, `${file}.key`]),
  );
  const all = await readdir(pki, { recursive: true, withFileTypes: true });
  const names = all
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".new"))
    .map((entry) => join(entry.parentPath, entry.name).slice(pki.length + 1))
    .filter((name) => !own.has(name));
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(pki, name), "base64")] as const),
  );
  return { settings, members, files: Object.fromEntries(files) };
}

/** Encrypts shared keys; they open only with the same key and token. */
export function sealKeys(keys: SharedKeys, key: string, tokenId: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, Buffer.from(key, "hex"), nonce);
  cipher.setAAD(Buffer.from(tokenId));
  const content = gzipSync(JSON.stringify(keys));
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Decrypts shared keys; throws for another key. */
export function openKeys(sealed: Buffer, key: string, tokenId: string): SharedKeys {
  const start = nonceBytes + tagBytes;
  try {
    const cipher = createDecipheriv(
      algorithm,
      Buffer.from(key, "hex"),
      sealed.subarray(0, nonceBytes),
      { authTagLength: tagBytes },
    );
    cipher.setAAD(Buffer.from(tokenId));
    cipher.setAuthTag(sealed.subarray(nonceBytes, start));
    const content = Buffer.concat([cipher.update(sealed.subarray(start)), cipher.final()]);
    const text = gunzipSync(content, { maxOutputLength: maxBytes }).toString();
    return JSON.parse(text) as SharedKeys;
  } catch (error) {
    throw new CommandFailure(
      `--certificate-key does not fit this token: copy the whole command again, or make another on a server: ${ownCommand("token create --server")}`,
      { cause: error },
    );
  }
}
