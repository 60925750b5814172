/** Upstream: pkg/volume/csi/csi_plugin.go. */
import type {
  MountedVolume,
  PersistentRequest,
  VolumePlugin,
  VolumeRequest,
} from "../volume-plugin.ts";

/** Volumes of CSI drivers: src/kubelet/csi implements it. */
export interface CsiVolumeService {
  setUpInline(request: VolumeRequest): Promise<MountedVolume>;
  setUpPersistent(request: PersistentRequest): Promise<MountedVolume>;
  tearDown(podUID: string): Promise<void>;
  attachedOnDisk(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** A volume that a CSI driver publishes. */
export function csi({ csi: service }: { readonly csi: CsiVolumeService }): VolumePlugin {
  return {
    source: "csi",
    setUp: (request) => service.setUpInline(request),
    setUpPersistent: (request) => service.setUpPersistent(request),
    tearDown: (podUID) => service.tearDown(podUID),
    attachedOnDisk: () => service.attachedOnDisk(),
  };
}
