import { readFileSync } from "node:fs";
import type { Facts } from "./facts.ts";

/** A plain map and no memo of std, as this folder imports nothing; one entry per group version. */
const loaded = new Map<string, Facts>();

/**
 * The facts of a group version, by its file (apps/v1). The file is read on first use: most programs
 * need few of them, and imports would read all at the start.
 */
export function loadFacts(file: string): Facts {
  const known = loaded.get(file);
  if (known) return known;
  const text = readFileSync(new URL(`../${file}.json`, import.meta.url), "utf8");
  const facts = JSON.parse(text) as Facts;
  loaded.set(file, facts);
  return facts;
}
