import type { Resource } from "#/api/base/resource.ts";
import { repeat } from "#/std/time/repeat.ts";
import { allSynced } from "./all-synced.ts";
import type { Controller, ControllerContext } from "./controller-context.ts";

interface PeriodicDeclaration<Options = unknown> {
  readonly name: string;
  readonly everyMs: number | ((options: Options) => number);
  readonly eventSource?: string;
  /** Resources that it reads: their informers have synced before the first run. */
  readonly reads?: readonly Resource[];
  /** A failure is logged; the next run is at the usual time. */
  run(context: ControllerContext<Options>): Promise<void>;
}

/** A controller that checks all objects at an interval, instead of one object after its change. */
export function periodic<Options = unknown>(
  declaration: PeriodicDeclaration<Options>,
): Controller<Options> {
  const { name, everyMs, eventSource, reads = [] } = declaration;
  return {
    name,
    eventSource,
    async run(context) {
      const { clock, signal, log, options, informers } = context;
      await allSynced(
        reads.map((resource) => informers.informer(resource)),
        signal,
      );
      const waitMs = typeof everyMs === "function" ? everyMs(options) : everyMs;
      const failed = (error: unknown) => log.error(error, "failed to run periodic controller");
      await repeat(() => declaration.run(context), { clock, everyMs: waitMs, failed }, signal);
    },
  };
}
