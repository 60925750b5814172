import { createPublicKey, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readKey } from "#/std/x509/signing-key.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { writeWhole } from "../base/write-file.ts";

/** The authorities of another control plane, and its keys of service accounts, by the names that kubeadm gives them. */
const authorities = ["ca", "front-proxy-ca"];
const accounts = ["sa.key", "sa.pub"];

/**
 * Copies the authorities and keys of an existing cluster, of which this machine becomes a server. Throws, and changes
 * nothing, unless all of them are there and fit.
 */
export async function importPki(from: string, to: string): Promise<void> {
  const names = [...authorities.flatMap((name) => [`${name}.crt`, `${name}.key`]), ...accounts];
  const missing = names.filter((name) => !existsSync(join(from, name)));
  if (missing.length > 0) {
    throw new CommandFailure(`--pki=${from} lacks ${missing.join(", ")}`);
  }
  const files = new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(from, name), "utf8")] as const),
    ),
  );
  for (const name of authorities) checkPair(from, name, files);
  for (const [name, text] of files) {
    const there = await readFile(join(to, name), "utf8").catch(() => text);
    if (there === text) continue;
    throw new CommandFailure(`${join(to, name)} is of another cluster than --pki=${from}`);
  }
  await mkdir(to, { recursive: true, mode: 0o700 });
  // A certificate after its key: a reader that finds a certificate finds its key, too.
  for (const [name, text] of [...files].reverse()) await writeWhole(join(to, name), text);
}

function checkPair(from: string, name: string, files: ReadonlyMap<string, string>): void {
  const certificate = new X509Certificate(files.get(`${name}.crt`) ?? "");
  const key = createPublicKey(readKey(Buffer.from(files.get(`${name}.key`) ?? "")));
  if (certificate.publicKey.equals(key)) return;
  throw new CommandFailure(`--pki=${from}: ${name}.key is not the key of ${name}.crt`);
}
