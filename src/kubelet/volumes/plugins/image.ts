/** Upstream: pkg/volume/image/image.go. */
import type { VolumePlugin } from "../volume-plugin.ts";

/** The files of an image: the runtime mounts them, so the node has no path. */
export function image(): VolumePlugin {
  return {
    source: "image",
    setUp: async () => ({ path: "", readOnly: true, follows: false }),
  };
}
