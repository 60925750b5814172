import { leases } from "#/api/coordination/v1.ts";
import { type Node, nodes } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { whyNotReady } from "../../facts/why-not-ready.ts";

export const nodeNotReady = cause<Node>({
  name: "node-not-ready",
  layer: "node",
  group: "node",
  of: [nodes],
  find(node, view) {
    const ready = findCondition(node.status?.conditions, "Ready");
    if (ready?.status === "True") return undefined;
    const silent = leaseAge(node, view);
    return {
      sentence: `it is not ready: ${whyNotReady(node)}${silent ? `; its lease was renewed ${silent} ago` : ""}`,
      since: ready?.lastTransitionTime ?? node.metadata.creationTimestamp,
      evidence: (node.status?.conditions ?? []).map((one) => conditionLine(one, view.nowMs)),
      fix: [
        "# on the machine: does it run, and does its kubelet?",
        "k8ts status",
        "k8ts logs kubelet",
      ],
    };
  },
});

/** How old the lease of a node is, if it is too old. */
function leaseAge({ metadata }: Node, view: View): string | undefined {
  const ref = { namespace: "kube-node-lease", name: metadata.name ?? "" };
  const renewed = view.get(leases, ref)?.spec?.renewTime;
  const age = ageMs(renewed, view.nowMs);
  return age > leaseMs ? humanDuration(age) : undefined;
}

/** Limit of the age (ms) of a lease: the kubelet's are renewed every 10 s and valid for 40 s. */
const leaseMs = 40_000;
