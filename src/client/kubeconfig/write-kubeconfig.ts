import { rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolders } from "#/std/files/make-folders.ts";
import { formatKubeconfig } from "./format-kubeconfig.ts";
import type { Kubeconfig } from "./kubeconfig.ts";

/** Writes a file that only its owner may read, atomically. */
export async function writeKubeconfig(path: string, config: Kubeconfig): Promise<void> {
  makeFolders(dirname(path));
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, formatKubeconfig(config), { mode: 0o600 });
  await rename(temporary, path);
}
