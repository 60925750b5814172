import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine, timeOf } from "../../base/text.ts";
import { isReady } from "../../facts/containers.ts";
import { deniedConnection } from "../../facts/denied-connections.ts";
import { eventLine } from "../../facts/pod-events.ts";

/** A Pod that is not ready may need what it is denied; whether it does is not known. */
export const connectionsDenied = cause<Pod>({
  name: "connections-denied",
  layer: "network",
  of: [pods],
  find(pod, view) {
    const denied = deniedConnection(pod, view);
    if (!denied) return undefined;
    const { event, direction, policies } = denied;
    const isStuck = direction === "egress" && !isReady(pod);
    const { namespace } = pod.metadata;
    return {
      sentence: `traffic is forbidden by ${policies.join(", ")}: ${oneLine(event.message, 240)}`,
      certainty: isStuck ? "likely" : "proven",
      severity: isStuck ? "stuck" : "notice",
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
      fix: [`kubectl describe networkpolicies -n ${namespace}`],
    };
  },
});
