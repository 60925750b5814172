import { type Pod, pods } from "#/api/core/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { cause } from "../../base/cause.ts";
import { timeOf } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";
import { pullInProgress } from "../../facts/pull-in-progress.ts";

/** Limit of the time (ms) that a pull may take without being remarkable. */
const slowMs = 60_000;

export const imagePullSlow = cause<Pod>({
  name: "image-pull-slow",
  layer: "image",
  of: [pods],
  find(pod, view) {
    const pull = pullInProgress(pod, view);
    if (!pull || view.nowMs - pull.lastMs < slowMs) return undefined;
    const took = humanDuration(view.nowMs - pull.lastMs);
    return {
      sentence: `the node has been pulling an image for ${took} without an end or an error: a large image, or a registry that does not answer`,
      certainty: "likely",
      since: timeOf(pull.lastMs),
      evidence: [eventLine(pull, view.nowMs)],
      fix: [
        "k8ts logs kubelet",
        "# without a network, load the image yourself: k8ts image load FILE.tar",
      ],
    };
  },
});
