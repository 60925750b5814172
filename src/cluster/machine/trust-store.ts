import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { writeWhole } from "../base/write-file.ts";

/** A folder with authorities that the machine trusts, and the program that reads it. */
interface TrustStore {
  readonly folder: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** Those of Debian and Ubuntu, and of Fedora. */
const stores: readonly TrustStore[] = [
  { folder: "usr/local/share/ca-certificates", program: "update-ca-certificates", args: [] },
  { folder: "etc/pki/ca-trust/source/anchors", program: "update-ca-trust", args: ["extract"] },
];

/** Where to look for stores, and how to run their programs. */
interface TrustStoreOptions {
  readonly root?: string;
  readonly run?: RunProgram;
}

const fileOf = ({ folder }: TrustStore, root: string, cluster: string): string =>
  join(root, folder, `k8ts-${cluster}.crt`);

/** Makes the machine trust an authority; returns the file with it, undefined if the machine has no known store. */
export async function trustAuthority(
  cluster: string,
  certificate: string,
  { root = "/", run = runProgram }: TrustStoreOptions = {},
): Promise<string | undefined> {
  const store = stores.find(({ folder }) => existsSync(join(root, folder)));
  if (!store) return undefined;
  const file = fileOf(store, root, cluster);
  await writeWhole(file, certificate, 0o644);
  await run(store.program, store.args);
  return file;
}

/** Ends the trust in the authority of a cluster; returns the files that have been removed. */
export async function distrustAuthority(
  cluster: string,
  { root = "/", run = runProgram }: TrustStoreOptions = {},
): Promise<string[]> {
  const removed: string[] = [];
  for (const store of stores) {
    const file = fileOf(store, root, cluster);
    if (!existsSync(file)) continue;
    await rm(file);
    await run(store.program, store.args);
    removed.push(file);
  }
  return removed;
}
