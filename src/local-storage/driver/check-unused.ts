import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";

/** Where a volume is published: from its device, or from the folder where it is staged. */
interface Publication {
  readonly source: string;
  readonly isBlock: boolean;
  readonly targetPath: string;
}

/** Throws if a volume for a single Pod is published for another one. */
export async function checkUnused(
  mounter: Mounter,
  { source, isBlock, targetPath }: Publication,
): Promise<void> {
  const mounts = await mounter.list();
  const found = await mounter.find(source);
  const origin = isBlock
    ? // A device is published as a mount of its node, which is a file of devtmpfs.
      { root: source.slice("/dev".length), source: undefined }
    : { root: found?.root, source: found?.source };
  const same = mounts.filter(
    (one) =>
      one.root === origin.root && (origin.source === undefined || one.source === origin.source),
  );
  const own = await Promise.all([source, targetPath].map(placeOf));
  const places = await Promise.all(same.map(({ mountPoint }) => placeOf(mountPoint)));
  if (places.every((place) => own.includes(place))) return;
  throw new GrpcError("FAILED_PRECONDITION", "the volume is published for another Pod already");
}

/** A name of the place of a path: the kubelet's folder may be mounted at several, and each has the mounts of all. */
async function placeOf(path: string): Promise<string> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  return folder ? `${folder.dev}:${folder.ino}/${basename(path)}` : path;
}
