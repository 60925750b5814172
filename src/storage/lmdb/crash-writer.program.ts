import { writeSync } from "node:fs";
import { LmdbStorage } from "./lmdb-storage.ts";

/**
 * The victim of crash.test.ts: writes as fast as it can and reports each acknowledged write on standard output, as
 * `KEY REVISION VALUE` or `KEY REVISION deleted`, until it is killed.
 */
const [directory = "", run = ""] = process.argv.slice(2);
const storage = await LmdbStorage.open({ directory, historyBytes: 2 << 20 });
const padding = "x".repeat(1000);

async function writeForever(writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const key = `/crash/${writer}/${count % 50}`;
    const text = `${run}-${writer}-${count}`;
    const value = new TextEncoder().encode(`${text} ${padding}`);
    const remove = count % 7 === 6;
    const result = remove
      ? await storage.delete(key, { expect: "any" })
      : await storage.put(key, value, { expect: "any" });
    writeSync(1, `${key} ${result.revision} ${remove ? "deleted" : text}\n`);
  }
}

writeSync(1, "ready\n");
await Promise.all(Array.from({ length: 32 }, (_, writer) => writeForever(writer)));
