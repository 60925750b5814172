import type { Host } from "#/kubectl/base/host.ts";
import { runKubectl } from "#/kubectl/run.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { CommandRun, Outcome } from "./play.ts";

/** Limit of a command (ms): one that hangs is interrupted. */
const limitMs = 20_000;

/** Our kubectl, in this process. */
export async function ourKubectl({ args, stdin, env, folder }: CommandRun): Promise<Outcome> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const collect = (chunks: Uint8Array[]): Host["out"] => ({
    write: (chunk) => void chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk),
    isTerminal: false,
    columns: 0,
  });
  async function* input(): AsyncGenerator<Uint8Array> {
    if (stdin !== "") yield Buffer.from(stdin);
  }
  const code = await runKubectl(args, {
    out: collect(out),
    err: collect(err),
    stdin: Object.assign(input(), { isTerminal: false }),
    env,
    cwd: folder,
    clock: systemClock,
    signal: AbortSignal.timeout(limitMs),
  });
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
