/**
 * Runs the scenarios of converted managers against the real kube-apiserver and writes the results: `node
 * test/parity/record-conversion-managers.ts`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runScenarios } from "./conversion-managers.ts";
import { startReference } from "./reference.ts";

await using target = await startReference();
const lines = (await runScenarios(target)).map((outcome) => JSON.stringify(outcome));
const file = join(import.meta.dirname, "recorded/conversion-managers.json");
await writeFile(file, `[\n${lines.join(",\n")}\n]\n`);
process.stdout.write(`${lines.length} scenarios\n`);
