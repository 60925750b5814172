/** Upstream: pkg/volume/csi/{csi_attacher,csi_plugin}.go. */
import { createHash } from "node:crypto";

/** The identity of a volume outside Kubernetes. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

/** The name of a volume in the status of nodes. */
export const csiVolumeName = ({ driver, handle }: CsiVolume): string =>
  `kubernetes.io/csi/${driver}^${handle}`;

/** The name of the VolumeAttachment of a volume and a node. */
export const attachmentName = ({ driver, handle }: CsiVolume, node: string): string =>
  `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
