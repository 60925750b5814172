import { logger } from "#/std/log/log.ts";
import { logAs } from "#/std/log/log-as.ts";

/** A component in a process that runs several: started with its public flags, until the signal aborts. */
export interface Component {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

const log = logger("cluster");

/** Runs components together. If one ends before the signal aborts, all others are stopped, and its error is thrown. */
export async function runComponents(
  components: readonly Component[],
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const failures: Error[] = [];
  await Promise.all(
    components.map(async ({ name, run }) => {
      try {
        await logAs(name, () => run(both));
        if (!both.aborted) throw new Error("it ended by itself");
      } catch (error) {
        if (both.aborted && error === both.reason) return;
        const failure = new Error(`${name}: ${(error as Error).message}`, { cause: error });
        log.error(error, "component ended", { component: name });
        failures.push(failure);
        stop.abort(failure);
      }
    }),
  );
  if (failures[0]) throw failures[0];
}
