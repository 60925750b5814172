import type { FlagValues } from "#/std/flags/flags.ts";
import type { Host } from "../base/host.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import type { GlobalFlags } from "./global-flags.ts";

/** The context of a command, besides its own flags and arguments. */
export interface Context extends Host {
  /** `kubectl rollout status`, as in messages. */
  readonly commandPath: string;
  readonly global: FlagValues<GlobalFlags>;
  readonly globalChanged: ReadonlySet<string>;
  readonly cluster: ClusterAccess;
  /** The command line for --record: words, then flags with their values. */
  readonly changeCause: () => string;
  /** The help of this command, as `--help` prints it. */
  readonly help: () => Promise<string>;
  /** A file name relative to the working directory. */
  path(name: string): string;
}
