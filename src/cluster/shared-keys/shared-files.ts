import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { certificateSpecs } from "../access/certificates.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { writeWhole } from "../base/write-file.ts";

/** Files in the folder of keys that all servers of a cluster have: by their path below it, in base64. */
export type SharedFiles = Readonly<Record<string, string>>;

/** Reads what servers share: everything in the folder but the certificates of this server. */
export async function readSharedFiles(
  pki: string,
  settings: ClusterSettings,
): Promise<SharedFiles> {
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
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The shared file that counts the states of keys which were published: an older state never replaces a newer one. */
const countFile = "rotation-count";

/** Counts a state of keys that is published. */
export async function countState(pki: string): Promise<void> {
  const path = join(pki, countFile);
  const count = Number(await readFile(path, "utf8").catch(() => "0"));
  await writeWhole(path, String(count + 1));
}

/** Throws if files are of an older state of keys than those in the folder: someone has published them again. */
async function checkIsNoOlder(pki: string, files: SharedFiles): Promise<void> {
  const own = Number(await readFile(join(pki, countFile), "utf8").catch(() => "0"));
  const count = Number(Buffer.from(files[countFile] ?? "", "base64").toString());
  if (count < own) {
    throw new Error(`the published keys are those of state ${count}, and this server has ${own}`);
  }
}

/** Writes files that differ. A key comes after its certificate, as a rotation writes them. */
export async function writeSharedFiles(pki: string, files: SharedFiles): Promise<void> {
  const isKey = (name: string): number => (name.endsWith(".key") ? 1 : 0);
  const names = Object.keys(files).toSorted((a, b) => isKey(a) - isKey(b));
  for (const name of names) {
    const path = join(pki, name);
    const content = Buffer.from(files[name] ?? "", "base64");
    const present = await readFile(path).catch(() => undefined);
    if (present?.equals(content)) continue;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeWhole(path, content);
  }
}

/** What only a rotation writes, and removes at its end. */
const isOfRotation = (name: string): boolean =>
  name.startsWith("next/") || name.endsWith("-cross.crt");

/** Makes the folder as another server has it, also without what a rotation has removed there; throws for an older state. */
export async function followSharedFiles(
  pki: string,
  settings: ClusterSettings,
  files: SharedFiles,
): Promise<void> {
  await checkIsNoOlder(pki, files);
  await writeSharedFiles(pki, files);
  for (const name of Object.keys(await readSharedFiles(pki, settings))) {
    if (isOfRotation(name) && !(name in files)) await rm(join(pki, name), { force: true });
  }
}
