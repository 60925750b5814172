import { leases } from "#/api/coordination/v1.ts";
import { type Node, nodes } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";

/** Limit of the age (ms) of a lease: the kubelet's are renewed every 10 s and valid for 40 s. */
const leaseMs = 40_000;

/** Before the controllers notice: the Node is still called Ready. */
export const leaseStale = cause<Node>({
  name: "node-lease-stale",
  layer: "node",
  group: "node",
  of: [nodes],
  find({ metadata, status }, view) {
    const ref = { namespace: "kube-node-lease", name: metadata.name ?? "" };
    // A kubelet that has no lease at all reports by its conditions.
    const reported = findCondition(status?.conditions, "Ready")?.lastHeartbeatTime;
    const lease = view.lookup(leases, ref);
    const renewed =
      lease.state === "found"
        ? lease.value.spec?.renewTime
        : lease.state === "absent"
          ? reported
          : "";
    const age = ageMs(renewed, view.nowMs);
    if (age < leaseMs) return undefined;
    return {
      sentence: `its kubelet has not renewed its lease for ${humanDuration(age)}, and will be called not ready`,
      since: renewed,
      fix: ["k8ts status", "k8ts logs kubelet"],
    };
  },
});
