import { open } from "node:fs/promises";

/** Makes new names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
