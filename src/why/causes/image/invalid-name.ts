import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { findWaiting, waitingMessage } from "../../facts/containers.ts";
import { setImageLine } from "../../facts/image-failure.ts";

export const imageInvalidName = cause<Pod>({
  name: "image-invalid-name",
  layer: "image",
  of: [pods],
  find(pod, view) {
    const container = findWaiting(pod, ["InvalidImageName"]);
    if (!container) return undefined;
    return {
      sentence: `"${container.spec.image}" is no valid image name (upper-case letters and blanks are not allowed)`,
      evidence: [`${container.label} waits: ${waitingMessage(container)}`],
      fix: [setImageLine(pod, container, view)],
    };
  },
});
