import { randomBytes } from "node:crypto";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { seal, unseal } from "../shared-keys/seal-keys.ts";
import type { SharedFiles } from "../shared-keys/shared-files.ts";

/** What the servers of a cluster share: their settings, and the authorities and keys in the folder `pki`. */
export interface SharedKeys {
  readonly settings: ClusterSettings;
  /** The members of etcd, NAME=URL each. */
  readonly members: readonly string[];
  readonly files: SharedFiles;
}

const keyBytes = 32;

/** A key that only the printed command has. */
export const generateServerKey = (): string => randomBytes(keyBytes).toString("hex");

export const isServerKey = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Encrypts shared keys; they open only with the same key and token. */
export const sealKeys = (keys: SharedKeys, key: string, tokenId: string): Buffer =>
  seal(keys, Buffer.from(key, "hex"), tokenId);

/** Decrypts shared keys; throws for another key. */
export function openKeys(sealed: Buffer, key: string, tokenId: string): SharedKeys {
  try {
    return unseal<SharedKeys>(sealed, Buffer.from(key, "hex"), tokenId);
  } catch (error) {
    throw new CommandFailure(
      `--certificate-key does not fit this token: copy the whole command again, or make another on a server: ${ownCommand("token create --server")}`,
      { cause: error },
    );
  }
}
