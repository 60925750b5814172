import { join } from "node:path";
import type { Pod } from "#/api/core/v1.ts";
import { runFileTask } from "../files/run-file-task.ts";
import type { NodeVolumes } from "./node-volumes.ts";

/** Limit of a file that variables are read from (bytes): the rest is ignored. */
const maxBytes = 64 << 10;

/** The text of a file in one of a pod's volumes; links that lead out of it are not followed. */
export async function readVolumeFile(
  volumes: Pick<NodeVolumes, "find">,
  pod: Pod,
  volume: string,
  path: string,
): Promise<{ path: string; text: string }> {
  const mounted = volumes.find(pod.metadata.uid ?? "", volume);
  if (!mounted) throw new Error(`cannot find the volume "${volume}" referenced by FileKeyRef`);
  const request = { root: mounted.path, path, maxBytes };
  const text = await runFileTask("readFile", request, mounted.path);
  return { path: join(mounted.path, path), text };
}
