import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

export const podEvicted = cause<Pod>({
  name: "evicted",
  layer: "node",
  group: "pod failed",
  of: [pods],
  find({ status, spec }) {
    if (status?.phase !== "Failed" || status.reason !== "Evicted") return undefined;
    return {
      sentence: `node ${spec.nodeName} has evicted it: ${oneLine(status.message ?? "it was short of a resource", 200)}`,
      fix: [
        `kubectl why node/${spec.nodeName}`,
        "# set requests to what it needs; limit its ephemeral storage",
      ],
    };
  },
});
