/**
 * The cost of journeys: two servers, and then two clusters, one of which records nothing, take the same load in turn, so
 * that other load of the machine affects both. As root for Pod starts, with Go and busybox-static:
 *
 *     node bench/journey/journey.ts [create] [idle] [pods]      default: all three
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCost } from "./create-cost.ts";
import { idleMemory } from "./idle-memory.ts";
import { podStartCost } from "./pod-start-cost.ts";

const parts: Readonly<Record<string, (folder: string) => Promise<readonly string[]>>> = {
  create: createCost,
  idle: idleMemory,
  pods: podStartCost,
};
const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "k8ts-bench-"));
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const line of await measure(folder)) process.stdout.write(`${line}\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
