/**
 * The cost of journeys: requests that are recorded and requests that are not take turns on one server, and two servers
 * or clusters of which one records nothing are measured side by side, so that other load of the machine affects both.
 * As root for Pod starts, with Go and busybox-static:
 *
 *     node bench/journey/journey.ts [alone] [create] [idle] [pods]      default: all
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCost } from "./create-cost.ts";
import { idleMemory } from "./idle-memory.ts";
import { podStartCost } from "./pod-start-cost.ts";
import { recordAlone } from "./record-alone.ts";

const parts: Readonly<Record<string, (folder: string) => Promise<readonly string[]>>> = {
  alone: recordAlone,
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
