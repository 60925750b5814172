import { containerd } from "./containerd.ts";
import { crio } from "./crio.ts";
import { docker } from "./docker.ts";
import type { Runtime } from "./runtime.ts";

/** The container runtimes that a cluster can run; the first is the default. */
export const runtimes: readonly Runtime[] = [containerd, crio, docker];

export const runtimeNames: readonly string[] = runtimes.map(({ name }) => name);

/** The names of all programs of runtimes. */
export const runtimeProgramNames: readonly string[] = [
  ...new Set(runtimes.flatMap(({ programs }) => programs.map(({ name }) => name))),
];

/** A runtime by its name; throws for one that is unknown. */
export function getRuntime(name: string): Runtime {
  const found = runtimes.find((runtime) => runtime.name === name);
  if (!found) throw new Error(`"${name}" is no runtime: ${runtimeNames.join(", ")}`);
  return found;
}
