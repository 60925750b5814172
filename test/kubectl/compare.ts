/** Shows how our kubectl's answers differ from what is recorded: `node test/kubectl/compare.ts [SUITE]`. */
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Recorded } from "./golden-case.ts";
import { ourKubectl } from "./our-kubectl.ts";
import { playSuite } from "./play.ts";
import { loadSuites, recordedFile } from "./suites.ts";

/** Enough to see a difference. */
const shown = (value: unknown): string => String(value).slice(0, 2000);

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
      process.stdout.write(
        `--- ${part} upstream\n${shown(wanted?.[part])}\n+++ ${part} ours\n${shown(answer[part])}\n`,
      );
    }
  });
}
process.stdout.write(`${same} the same, ${different} different\n`);
