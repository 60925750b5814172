import { etcdProgram } from "../etcd/member-launch.ts";
import { runtimeProgramNames } from "../runtimes/index.ts";

/** The names of all programs of a machine, in the order in which they are started: later ones use earlier ones. */
export const programNames: readonly string[] = [
  etcdProgram,
  "server",
  ...runtimeProgramNames,
  "agent",
];

/** The names of programs in the order in which they are stopped: those of other versions of k8ts first. */
export function inStopOrder(names: readonly string[]): string[] {
  const others = names.filter((name) => !programNames.includes(name));
  return [...others, ...programNames.filter((name) => names.includes(name)).toReversed()];
}
