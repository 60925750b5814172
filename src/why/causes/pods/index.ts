import type { Cause } from "../../base/cause.ts";
import { connectionsDenied } from "./connections-denied.ts";
import { podDeadline } from "./deadline.ts";
import { ephemeralContainer } from "./ephemeral-container.ts";
import { podEvicted } from "./evicted.ts";
import { podFailed } from "./failed.ts";
import { kubeletSilent } from "./kubelet-silent.ts";
import { podNodeNotReady } from "./node-not-ready.ts";
import { nodeRefused } from "./node-refused.ts";
import { nodeShutdown } from "./node-shutdown.ts";
import { podDisrupted } from "./preempted.ts";
import { podResize } from "./resize.ts";
import { containerWaits } from "./waiting.ts";

/** Why a Pod has ended for good, which says more than how its containers ended. */
export const endedPodCauses: readonly Cause[] = [
  podEvicted,
  podDeadline,
  nodeRefused,
  podDisrupted,
  nodeShutdown,
];

export const podCauses: readonly Cause[] = [
  podNodeNotReady,
  podResize,
  containerWaits,
  podFailed,
  kubeletSilent,
  connectionsDenied,
  ephemeralContainer,
];
