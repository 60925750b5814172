import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { writeWhole } from "../base/write-file.ts";
import { pauseImage, pauseImageName } from "./pause-image.ts";
import type { ImageStore } from "./runtime.ts";

/** Ensures that the node has its pause image. */
export async function ensurePauseImage(paths: ClusterPaths, images: ImageStore): Promise<void> {
  if (await images.has(pauseImageName)) return;
  const file = join(paths.run, "pause.tar");
  await writeWhole(file, pauseImage(process.arch));
  await images.load(file);
}
