import type { FlagValues } from "#/std/flags/flags.ts";
import type { controllerFlags } from "./controller-flags.ts";
import type { genericFlags } from "./generic-flags.ts";

/** The manager's options for its controllers. */
export interface ManagerOptions {
  readonly flags: FlagValues<typeof controllerFlags> & FlagValues<typeof genericFlags>;
  /** Whether a feature gate is enabled. */
  enabled(gate: string): boolean;
}
