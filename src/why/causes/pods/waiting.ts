import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { containersOf, waitingMessage, waitingReason } from "../../facts/containers.ts";

/** A container that waits for a reason which no other cause knows. */
export const containerWaits = cause<Pod>({
  name: "container-waits",
  layer: "containers",
  isFallback: true,
  of: [pods],
  find(pod) {
    const container = containersOf(pod).find((one) => waitingReason(one) !== undefined);
    if (!container) return undefined;
    const said = oneLine(waitingMessage(container), 200);
    return {
      sentence: `${container.label} waits (${waitingReason(container)})${said ? `: ${said}` : ""}`,
      fix: [`kubectl describe pod ${pod.metadata.name}`],
    };
  },
});
