import type { Node } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { oneLine } from "../base/text.ts";

/** Why a node is not ready, in words. */
export function whyNotReady({ status }: Node): string {
  const ready = findCondition(status?.conditions, "Ready");
  if (ready === undefined) return "its kubelet has not reported yet";
  if (ready.status === "Unknown")
    return "its kubelet has stopped reporting (NotReady, status unknown)";
  return oneLine(ready.message ?? ready.reason ?? "it gives no reason", 200);
}
