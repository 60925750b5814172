import { logAs, logger } from "#/std/log/log.ts";

/** A component as a process that holds several sees it: started with its public flags, until the signal aborts. */
export interface Component {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

const log = logger("cluster");

/** Runs components together. One that ends before it is asked to takes all others down, with its error. */
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
