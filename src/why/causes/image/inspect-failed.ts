import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { findWaiting, waitingMessage } from "../../facts/containers.ts";

export const imageInspectFailed = cause<Pod>({
  name: "image-inspect-failed",
  layer: "image",
  of: [pods],
  find(pod) {
    const container = findWaiting(pod, ["ImageInspectError"]);
    if (!container) return undefined;
    const said = oneLine(waitingMessage(container), 160);
    return {
      sentence: `the container runtime of node ${pod.spec.nodeName} cannot inspect the image "${container.spec.image}"${said ? `: ${said}` : ""}`,
      fix: [`kubectl describe node ${pod.spec.nodeName}`],
    };
  },
});
