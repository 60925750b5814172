import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "../base/command-failure.ts";
import { checkoutProblem } from "../machine/checkout-access.ts";

const endings = [".yaml", ".yml", ".json"];
/** Limits of what is read (count, bytes): more is no folder of manifests. */
const maxFiles = 10_000;
const maxFileBytes = 16 * 1024 * 1024;

/**
 * The manifests of a folder and those below it, in the order of their names. What is in them is applied as the
 * administrator: rejects if users other than root and the folder's owner could change it.
 */
export async function manifestFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: Error) => {
      throw new CommandFailure(`the folder of manifests can't be read: ${error.message}`);
    },
  );
  const problem = await checkoutProblem(folder, { use: "and the cluster applies what is there" });
  if (problem !== undefined) throw new CommandFailure(problem);
  const files = found
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => endings.some((ending) => file.endsWith(ending)));
  if (files.length > maxFiles) {
    throw new CommandFailure(`${folder} has ${files.length} manifests; the limit is ${maxFiles}`);
  }
  return files.sort();
}

/** The text of a manifest. Rejects for what is no file, such as a pipe, which would never end, and for a large one. */
export async function readManifest(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const info = await file.stat();
  if (!info.isFile()) throw new CommandFailure(`${path}: it is no file`);
  if (info.size > maxFileBytes) throw new CommandFailure(`${path}: it is too large`);
  return await file.readFile("utf8");
}
