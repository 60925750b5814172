import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { hasEnded, isScheduled, isWell } from "../../facts/containers.ts";
import { whyNotReady } from "../../facts/why-not-ready.ts";

/** A Pod whose node is not Ready: nothing happens to it there. */
export const podNodeNotReady = cause<Pod>({
  name: "node-not-ready",
  layer: "node",
  of: [pods],
  find(pod, view) {
    if (!isScheduled(pod) || hasEnded(pod) || isWell(pod)) return undefined;
    const node = view.get(nodes, { name: pod.spec.nodeName ?? "" });
    const ready = findCondition(node?.status?.conditions, "Ready");
    if (!node || ready?.status === "True") return undefined;
    const name = node.metadata.name ?? "";
    return {
      about: subjectOf(nodes, node),
      sentence: `its node ${name} is not ready: ${whyNotReady(node)}`,
      since: ready?.lastTransitionTime,
      evidence: ready
        ? [conditionLine(ready, view.nowMs)]
        : [`node/${name} has no condition Ready`],
      fix: [`kubectl why node/${name}`],
    };
  },
});
