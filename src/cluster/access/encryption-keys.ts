import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "../base/command-failure.ts";
import { ensureFolder, writeIfChanged } from "../base/write-file.ts";

/** The cluster's own EncryptionConfiguration, with its keys, beside its other keys. */
export const encryptionFile = (pki: string): string => join(pki, "encryption.json");

/** A key of the store's Secrets. */
interface Key {
  readonly name: string;
  /** In base64. */
  readonly secret: string;
}

/** What reads Secrets, the first also writes them; "identity" is plain text. */
export type Reader = Key | "identity";

/** The name of a key is in each value that it encrypts. */
export const newKey = (now: number): Key => ({
  name: `key-${now}`,
  secret: randomBytes(32).toString("base64"),
});

/** The readers of the file; of a cluster that has none, plain text. */
export async function readReaders(pki: string): Promise<readonly Reader[]> {
  const file = encryptionFile(pki);
  if (!existsSync(file)) return ["identity"];
  const { resources } = JSON.parse(await readFile(file, "utf8")) as Configuration;
  const providers = resources[0]?.providers ?? [];
  return providers.map(({ secretbox }) => secretbox?.keys[0] ?? "identity");
}

interface Configuration {
  readonly resources: readonly {
    readonly providers: readonly { readonly secretbox?: { readonly keys: readonly Key[] } }[];
  }[];
}

/** The EncryptionConfiguration of some readers, as upstream has it. */
function encryptionText(readers: readonly Reader[]): string {
  const providers = readers.map((reader) =>
    reader === "identity" ? { identity: {} } : { secretbox: { keys: [reader] } },
  );
  const configuration = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers }],
  };
  return `${JSON.stringify(configuration, undefined, 2)}\n`;
}

export async function writeReaders(pki: string, readers: readonly Reader[]): Promise<void> {
  await ensureFolder(pki);
  await writeIfChanged(encryptionFile(pki), encryptionText(readers));
}

/** Makes the first key of a new cluster. A store that is older can't be read with another one. */
export async function ensureEncryption(
  pki: string,
  { hasStore, now }: { readonly hasStore: boolean; readonly now: number },
): Promise<void> {
  const file = encryptionFile(pki);
  if (existsSync(file)) return;
  if (hasStore) {
    throw new CommandFailure(
      `${file} is missing: it has the keys of the cluster's Secrets; take it from a snapshot`,
    );
  }
  await writeReaders(pki, [newKey(now), "identity"]);
}
