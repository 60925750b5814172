/**
 * Runs cases against the real kube-apiserver and writes its answers to recorded/: `node test/parity/record.ts [AREA...]`.
 * Needs the programs that `k8ts test` builds for the conformance tests.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Area, caseDigest, type Recording } from "./case.ts";
import { areas } from "./cases/index.ts";
import { normaliseAnswers } from "./normalise.ts";
import { startReference, type Target } from "./reference.ts";
import { prepareArea, runCase } from "./run-case.ts";
import { surroundedBy } from "./surrounded.ts";

const wanted = process.argv.slice(2);
const isPlain = ({ name, flags, surround }: Area): boolean =>
  !flags && !surround && (wanted.length === 0 || wanted.includes(name));
await using target = areas.some(isPlain) ? await startReference() : undefined;
for (const area of areas) {
  if (wanted.length > 0 && !wanted.includes(area.name)) continue;
  if (area.flags || area.surround) {
    await using surroundings = await area.surround?.();
    const flags = [...(area.flags ?? []), ...(surroundings?.flags ?? [])];
    await using special = await startReference(undefined, flags);
    await recordArea(surroundings ? surroundedBy(special, surroundings) : special, area);
  } else if (target) await recordArea(target, area);
}

async function recordArea(target: Target, area: Area): Promise<void> {
  await prepareArea(target, area);
  const lines: string[] = [];
  for (const test of area.cases) {
    const answers = normaliseAnswers(await runCase(target, test));
    const recording: Recording = { name: test.name, digest: caseDigest(test), answers };
    lines.push(JSON.stringify(recording));
  }
  const file = join(import.meta.dirname, "recorded", `${area.name}.json`);
  await writeFile(file, `[\n${lines.join(",\n")}\n]\n`);
  process.stdout.write(`${area.name}: ${area.cases.length} cases\n`);
}
