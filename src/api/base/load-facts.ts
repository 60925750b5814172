import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Facts } from "./facts.ts";

/** No memo of std, as this folder imports nothing; there are as many as there are group versions. */
const loaded = new Map<string, Facts>();

/**
 * Gives the facts of a group version, by its file (apps/v1), which is read when it is first needed: most programs need
 * few of them, and an import would read all at the start.
 */
export function loadFacts(file: string): Facts {
  const known = loaded.get(file);
  if (known) return known;
  const text = readFileSync(join(import.meta.dirname, "..", `${file}.json`), "utf8");
  const facts = JSON.parse(text) as Facts;
  loaded.set(file, facts);
  return facts;
}
