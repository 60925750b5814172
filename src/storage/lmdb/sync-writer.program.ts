import { writeSync } from "node:fs";
import { LmdbStorage } from "./lmdb-storage.ts";

/**
 * Traced by sync-before-ack.test.ts: writes marked values one by one and prints each
 * acknowledgement.
 */
const [directory = "", count = ""] = process.argv.slice(2);
await using storage = await LmdbStorage.open({ directory });
for (let index = 0; index < Number(count); index++) {
  const value = new TextEncoder().encode(`marked-${index}.`);
  await storage.put(`/sync/${index}`, value, { expect: "absent" });
  writeSync(1, `acknowledged-${index}.\n`);
}
