import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { runtimes } from "./index.ts";
import { ownRuntime, runnerOf } from "./own-runtime.ts";
import type { ImageStore } from "./runtime.ts";

/** Limit of the wait for the answer of a runtime (ms). */
const answerMs = 5_000;

/** Settings with the facts of the runtime that the user provides; throws if it does not work. Changes nothing. */
export async function withUserRuntime(settings: ClusterSettings): Promise<ClusterSettings> {
  const { runtimeEndpoint } = settings;
  if (runtimeEndpoint === undefined) return settings;
  const { askRuntime } = await import("#/kubelet/run.ts");
  try {
    const { cgroupDriver } = await askRuntime(runtimeEndpoint, answerMs);
    return { ...settings, runtimeCgroupDriver: cgroupDriver };
  } catch (error) {
    throw new CommandFailure(
      `--container-runtime-endpoint=${runtimeEndpoint} is no container runtime that works: ${(error as Error).message}`,
    );
  }
}

/** The images of a node's runtime, its own or the user's. */
export async function imagesOf(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<ImageStore> {
  const run = runnerOf(settings);
  const { runtimeEndpoint } = settings;
  const own = ownRuntime(settings);
  if (own || runtimeEndpoint === undefined) {
    if (!own) throw new Error("the node has no container runtime");
    return own.ownImages(paths, run);
  }
  const { askRuntime } = await import("#/kubelet/run.ts");
  const { name } = await askRuntime(runtimeEndpoint, answerMs);
  const known = runtimes.find(({ criName }) => criName === name);
  if (!known) {
    const names = runtimes.map(({ criName }) => criName).join(", ");
    throw new CommandFailure(
      `images can't be loaded into the runtime ${name}, only into: ${names}`,
    );
  }
  return await known.imagesAt(runtimeEndpoint.replace(/^unix:\/\//, ""), run);
}
