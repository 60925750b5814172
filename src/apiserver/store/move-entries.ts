import type { Storage } from "#/storage/base/storage.ts";

/**
 * Moves what a store has below another prefix to the present one, where what is there already stays. Each step may have been done
 * before, also by another server.
 */
export async function moveEntries(storage: Storage, from: string, to: string): Promise<number> {
  const { entries } = await storage.range(from);
  for (const { key, value, modRevision } of entries) {
    await storage.put(`${to}${key.slice(from.length)}`, value, { expect: "absent" });
    await storage.delete(key, { expect: modRevision });
  }
  return entries.length;
}
