import type { ClusterSettings } from "../base/settings.ts";

interface Kept {
  /** The settings that were there before; undefined for a new cluster or node. */
  readonly found: Pick<ClusterSettings, "disabled"> | undefined;
  readonly planned: Pick<ClusterSettings, "disabled">;
  /** Names of the flags that were given, also by a configuration file. */
  readonly changed: ReadonlySet<string>;
}

/** The parts that stay disabled although this command does not name them. Pure. */
export const keptDisabled = ({ found, planned, changed }: Kept): readonly string[] =>
  found === undefined || changed.has("disable") ? [] : planned.disabled;
