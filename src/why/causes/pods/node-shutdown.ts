import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

const reasons = new Set(["NodeShutdown", "Terminated", "Shutdown", "NodeLost", "Preempting"]);

export const nodeShutdown = cause<Pod>({
  name: "node-shutdown",
  layer: "node",
  group: "pod failed",
  of: [pods],
  find({ status, spec }) {
    if (status?.phase !== "Failed" || !reasons.has(status.reason ?? "")) return undefined;
    return {
      sentence: `node ${spec.nodeName} ended it (${status.reason}): ${oneLine(status.message ?? "the node was shut down", 160)}`,
      fix: [`kubectl why node/${spec.nodeName}`],
    };
  },
});
