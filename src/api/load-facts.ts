import { createRequire } from "node:module";
import type { Facts } from "./facts.ts";

const require = createRequire(import.meta.url);

/** Reads the facts of a group version, given its file (apps/v1), when they are first needed. */
export function loadFacts(file: string): Facts {
  return require(`./${file}.json`) as Facts;
}
