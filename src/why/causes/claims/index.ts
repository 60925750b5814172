import type { Cause } from "../../base/cause.ts";
import { attachmentFails } from "./attachment.ts";
import { storageClassMissing } from "./class-missing.ts";
import { classTopology } from "./class-topology.ts";
import { claimLost } from "./lost.ts";
import { noStorageClass } from "./no-class.ts";
import { noVolumeFits } from "./no-volume-fits.ts";
import { claimPending } from "./pending.ts";
import { provisionerSilent } from "./provisioner-silent.ts";
import { provisioningFailed } from "./provisioning-failed.ts";
import { claimResize } from "./resize.ts";
import { claimedVolumeUnusable } from "./volume-missing.ts";
import { volumeReleased } from "./volume-released.ts";
import { claimWaitsForPod } from "./waits-for-pod.ts";

/** Of a group the first that applies counts. */
export const claimCauses: readonly Cause[] = [
  claimLost,
  claimedVolumeUnusable,
  storageClassMissing,
  noStorageClass,
  classTopology,
  claimWaitsForPod,
  noVolumeFits,
  provisioningFailed,
  provisionerSilent,
  claimPending,
  claimResize,
  volumeReleased,
  attachmentFails,
];
