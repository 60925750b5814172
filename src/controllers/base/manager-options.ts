import type { FlagValues } from "#/std/flags/flags.ts";
import type { controllerFlags } from "./controller-flags.ts";
import type { genericFlags } from "./generic-flags.ts";

/** What controllers know of how their manager was started. */
export interface ManagerOptions {
  readonly flags: FlagValues<typeof controllerFlags> & FlagValues<typeof genericFlags>;
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean;
}
