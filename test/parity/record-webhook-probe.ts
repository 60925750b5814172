/**
 * Runs the webhook probes against the real kube-apiserver and writes the results: `node
 * test/parity/record-webhook-probe.ts`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startReference } from "./reference.ts";
import { runProbes } from "./webhook-probe.ts";

await using target = await startReference();
const lines = (await runProbes(target)).map((outcome) => JSON.stringify(outcome));
const file = join(import.meta.dirname, "recorded/webhook-probe.json");
await writeFile(file, `[\n${lines.join(",\n")}\n]\n`);
process.stdout.write(`${lines.length} webhooks\n`);
