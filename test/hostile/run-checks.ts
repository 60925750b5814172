import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { systemClock } from "#/std/time/clock.ts";
import type { CheckData } from "./check.program.ts";
import { replay } from "./check-parser.ts";
import { parsers } from "./parsers/index.ts";

/** Limit of one input (ms of CPU, so that other processes do not count). Linear parsers need less than one. */
const stuckMs = 20_000;
const lookMs = 1_000;
/** Limit of the thread's heap (MiB): more than any input needs. */
const heapMiB = 512;

export interface ParserResult {
  readonly name: string;
  readonly problems: readonly string[];
  readonly cpuMs?: number;
}

/** Runs the checks in another thread, and reports a parser that hangs or needs too much memory. */
export async function* runChecks(
  seed: number,
  { only, times }: { readonly only?: string; readonly times?: number } = {},
): AsyncGenerator<ParserResult> {
  const progress = new Int32Array(new SharedArrayBuffer(12));
  const data: CheckData = {
    seed,
    progress,
    ...(only !== undefined && { only }),
    ...(times !== undefined && { times }),
  };
  const worker = new Worker(new URL("check.program.ts", import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  const results: ParserResult[] = [];
  worker.on("message", (result: ParserResult) => void results.push(result));
  const ended = once(worker, "exit").then(
    () => undefined,
    (error: Error) => error,
  );
  let seen = -1;
  let sinceMs = cpuMs();
  for (;;) {
    // A thread that hangs cannot report it: it is checked periodically.
    const look = systemClock.sleep(lookMs).then(() => "look" as const);
    const event = await Promise.race([ended, look]);
    yield* results.splice(0);
    if (event === undefined) return;
    const [parser = 0, input = 0, count = 0] = progress;
    const at = parsers[parser];
    const where = at ? replay(at, seed, input) : "";
    if (event instanceof Error) {
      yield { name: at?.name ?? "", problems: [`${where}: ${event.stack}`] };
      return;
    }
    if (count !== seen) sinceMs = cpuMs();
    seen = count;
    if (cpuMs() - sinceMs < stuckMs) continue;
    await worker.terminate();
    yield { name: at?.name ?? "", problems: [`${where}: does not end`] };
    return;
  }
}

/** CPU time of this process, which does nothing else meanwhile. */
const cpuMs = (): number => process.cpuUsage().user / 1000;
