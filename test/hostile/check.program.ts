/** Checks every parser, in a thread of its own: one that never returns can be ended from outside. */
import { parentPort, workerData } from "node:worker_threads";
import { checkParser } from "./check-parser.ts";
import { parsers } from "./parsers/index.ts";

/** Input of the thread: a seed, and two numbers that report which input of which parser is under way. */
export interface CheckData {
  readonly seed: number;
  readonly progress: Int32Array;
  readonly only?: string;
  readonly times?: number;
}

const { seed, progress, only, times = 1 } = workerData as CheckData;
for (const [index, parser] of parsers.entries()) {
  if (only !== undefined && parser.name !== only) continue;
  const onInput = (input: number): void => {
    progress[0] = index;
    progress[1] = input;
    progress[2] = (progress[2] ?? 0) + 1;
  };
  const before = process.threadCpuUsage();
  const problems = await checkParser(parser, { seed, onInput, times });
  const cpuMs = process.threadCpuUsage(before).user / 1000;
  parentPort?.postMessage({ name: parser.name, problems, cpuMs });
}
