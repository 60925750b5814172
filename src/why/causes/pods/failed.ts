import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

/** A Pod that has failed for a reason of its status which no other cause knows. */
export const podFailed = cause<Pod>({
  name: "pod-failed",
  layer: "containers",
  isFallback: true,
  of: [pods],
  find({ status, metadata }) {
    if (status?.phase !== "Failed") return undefined;
    const said = oneLine(status.message ?? "", 200);
    return {
      sentence: `it has failed${status.reason ? ` (${status.reason})` : ""}${said ? `: ${said}` : ""}`,
      certainty: status.reason || said ? "proven" : "likely",
      fix: [`kubectl describe pod ${metadata.name}`],
    };
  },
});
