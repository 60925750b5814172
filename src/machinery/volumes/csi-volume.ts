/** Upstream: pkg/volume/csi/{csi_attacher,csi_plugin}.go. */
import { createHash } from "node:crypto";

/** What names a volume outside of Kubernetes. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

/** The name of a volume in the status of nodes. */
export const csiVolumeName = ({ driver, handle }: CsiVolume): string =>
  `kubernetes.io/csi/${driver}^${handle}`;

/** The name of the object that says whether a volume is attached to a node. */
export const attachmentName = ({ driver, handle }: CsiVolume, node: string): string =>
  `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
