import type { Client } from "#/client/client.ts";
import type { FileVolumeServices } from "../file-volume.ts";
import type { VolumeContents } from "../projected-payload.ts";
import type { VolumePlugin } from "../volume-plugin.ts";
import { configMap } from "./config-map.ts";
import { type CsiVolumeService, csi } from "./csi.ts";
import { downwardAPI } from "./downward-api.ts";
import { emptyDir } from "./empty-dir.ts";
import { ephemeral } from "./ephemeral.ts";
import { hostPath } from "./host-path.ts";
import { image } from "./image.ts";
import { local } from "./local.ts";
import { nfs } from "./nfs.ts";
import { persistentVolumeClaim } from "./persistent-volume-claim.ts";
import { projected } from "./projected.ts";
import { secret } from "./secret.ts";

/** The parts that plugins use; each takes only those that its own parameter names. */
export interface VolumeServices extends FileVolumeServices {
  readonly client: Client;
  readonly contents: VolumeContents;
  readonly csi: CsiVolumeService;
}

/** The plugins of all volumes that this kubelet knows: one line for each. */
export function volumePlugins(services: VolumeServices): readonly VolumePlugin[] {
  const plugins = [
    emptyDir(services),
    hostPath(),
    image(),
    nfs(services),
    configMap(services),
    secret(services),
    downwardAPI(services),
    projected(services),
    csi(services),
    local(services),
  ];
  const claimed = { ...services, plugins };
  return [...plugins, persistentVolumeClaim(claimed), ephemeral(claimed)];
}
