/** Records the real kube-apiserver's metrics of its gates in recorded/: `node test/parity/record-gate-metrics.ts`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { observeGates } from "./gate-metrics.ts";
import { startReference } from "./reference.ts";

await using target = await startReference();
// Upstream counts a request after it has answered; only recording waits.
const families = await observeGates(target, () => sleep(2_000));
const lines = Object.entries(families).map(
  ([name, family]) => `${JSON.stringify(name)}: ${JSON.stringify(family)}`,
);
const file = join(import.meta.dirname, "recorded", "gate-metrics.json");
await writeFile(file, `{\n${lines.join(",\n")}\n}\n`);
process.stdout.write(`${lines.length} families\n`);
