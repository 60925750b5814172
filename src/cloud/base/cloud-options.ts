import type { CloudFlags } from "./flags.ts";
import type { CloudProvider } from "./provider.ts";

/** The manager's options for its controllers. */
export interface CloudOptions {
  readonly provider: CloudProvider;
  readonly flags: CloudFlags;
  /** Whether a feature gate is enabled. */
  enabled(gate: string): boolean;
}
