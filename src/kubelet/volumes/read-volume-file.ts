import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Pod } from "#/api/core/v1.ts";
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
  const root = await realpath(mounted.path);
  const found = await realpath(join(root, path));
  if (!found.startsWith(root + sep)) throw new Error(`"${path}" leads out of the volume`);
  await using file = await open(found, "r");
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes) });
  return { path: found, text: buffer.subarray(0, bytesRead).toString() };
}
