import { open } from "node:fs/promises";

/** Makes sure that names which were added to a directory are still there after a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
