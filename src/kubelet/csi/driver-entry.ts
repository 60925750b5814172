/** Upstream: pkg/volume/csi/nodeinfomanager/nodeinfomanager.go. */
import type { CSINodeDriver } from "#/api/storage/v1.ts";
import type { CsiDriver } from "./csi-drivers.ts";

/** The entry of a driver in a CSINode. */
export function driverEntry({ name, info }: Pick<CsiDriver, "name" | "info">): CSINodeDriver {
  const { nodeID, maxVolumes, topology } = info;
  return {
    name,
    nodeID,
    topologyKeys: Object.keys(topology).sort(),
    ...(maxVolumes > 0 && { allocatable: { count: maxVolumes } }),
  };
}
