import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { findWaiting, waitingMessage } from "../../facts/containers.ts";
import { setImageLine } from "../../facts/image-failure.ts";

export const imageNeverPulled = cause<Pod>({
  name: "image-never-pulled",
  layer: "image",
  of: [pods],
  find(pod, view) {
    const container = findWaiting(pod, ["ErrImageNeverPull"]);
    if (!container) return undefined;
    const { image } = container.spec;
    return {
      sentence: `the image "${image}" is not on node ${pod.spec.nodeName}, and imagePullPolicy Never forbids pulling it`,
      evidence: [`${container.label} waits: ${waitingMessage(container)}`],
      fix: ["k8ts image load FILE.tar", setImageLine(pod, container, view)],
      docs: "docs/how-to/images.md",
    };
  },
});
