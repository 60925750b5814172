/** Upstream: pkg/volume/hostpath/host_path.go. */
import type { HostPathVolumeSource } from "#/api/core/v1.ts";
import { runFileTask } from "../../files/run-file-task.ts";
import type { VolumePlugin } from "../volume-plugin.ts";

/** A path of the node. */
export function hostPath(): VolumePlugin {
  return {
    source: "hostPath",
    async setUp({ volume }) {
      const path = volume.hostPath ? await ensureHostPath(volume.hostPath) : "";
      return { path, readOnly: false, follows: false };
    },
    async setUpPersistent({ persistentVolume, readOnly }) {
      const { hostPath: source } = persistentVolume.spec;
      return { path: source ? await ensureHostPath(source) : "", readOnly, follows: false };
    },
  };
}

/** Checks that a path of the node has the volume's type, and creates it if the type says so. */
export async function ensureHostPath({ path, type = "" }: HostPathVolumeSource): Promise<string> {
  if (path.split("/").includes("..")) {
    throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
  }
  if (type !== "") await runFileTask("ensureHostPath", { path, type }, path);
  return path;
}
