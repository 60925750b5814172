import { ociArchive } from "#/std/archive/oci-image.ts";
import { pauseProgram } from "./pause-program.ts";

/** The name of the pause image on a node; it is never pulled from a registry. */
export const pauseImageName = "k8ts.local/pause:1";

/** The pause image as an OCI archive, for `ctr images import`. */
export function pauseImage(architecture: string): Buffer {
  return ociArchive({
    name: pauseImageName,
    architecture,
    files: [{ name: "pause", content: pauseProgram(architecture), mode: 0o755 }],
    entrypoint: ["/pause"],
    user: "65535:65535",
  });
}
