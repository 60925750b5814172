/** Prints the differences of our kubectl's answers from the recorded ones: `node test/kubectl/compare.ts [SUITE]`. */
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Recorded } from "./golden-case.ts";
import { ourKubectl } from "./our-kubectl.ts";
import { playSuite } from "./play.ts";
import { loadSuites, recordedFile } from "./suites.ts";

/** The first lines that differ. */
function firstDifference(wanted: unknown, given: unknown): string {
  const [upstream, ours] = [String(wanted).split("\n"), String(given).split("\n")];
  const at = upstream.findIndex((line, index) => line !== ours[index]);
  const from = Math.max(0, (at < 0 ? upstream.length : at) - 2);
  const part = (lines: string[]): string => lines.slice(from, from + 14).join("\n");
  return `upstream, line ${from}\n${part(upstream)}\n+++ ours\n${part(ours)}\n`;
}

let [same, different] = [0, 0];
for (const suite of await loadSuites(process.argv[2])) {
  const recorded = JSON.parse(await readFile(recordedFile(suite), "utf8")) as Recorded[];
  await playSuite(suite, ourKubectl, (answer, index) => {
    const wanted = recorded[index];
    if (isDeepStrictEqual(answer, wanted)) {
      same++;
      return;
    }
    different++;
    process.stdout.write(`=== ${suite.name}: ${answer.command}\n`);
    for (const part of ["code", "stdout", "stderr"] as const) {
      if (answer[part] === wanted?.[part]) continue;
      process.stdout.write(`--- ${part} ${firstDifference(wanted?.[part], answer[part])}`);
    }
  });
}
process.stdout.write(`${same} the same, ${different} different\n`);
