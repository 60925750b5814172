import { count } from "../../base/text.ts";
import { amountText, openRooms, requestOf } from "../../facts/node-room.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";
import { workloadOf } from "../../facts/workload.ts";

export const insufficientResource = schedulingCause({
  name: "insufficient-resource",
  texts: /^Insufficient (\S+)/,
  explain([, resource = ""], pod, view, { nodes }) {
    const wanted = requestOf(pod, resource);
    const rooms = openRooms(resource, pod.spec, view);
    const largest = rooms?.toSorted((a, b) => b.allocatable.compare(a.allocatable))[0];
    const [best] = rooms ?? [];
    const needs = `the Pod requests ${resource} ${amountText(wanted, resource)}`;
    const target = workloadOf(pod, view);
    const lower = (to: string) => [`kubectl set resources ${target} --requests=${resource}=${to}`];
    if (!best || !largest) {
      const where = nodes === undefined ? "no node" : `${count(nodes, "node")} rejected`;
      return { sentence: `insufficient ${resource} (${where}): ${needs}`, fix: [] };
    }
    if (largest.allocatable.isZero) {
      return {
        sentence: `insufficient ${resource}: no node offers "${resource}", of which the Pod requests ${wanted}`,
        fix: ["# install what provides it (a device plugin), or add a node that has it"],
      };
    }
    const most = amountText(largest.allocatable, resource);
    if (largest.allocatable.compare(wanted) < 0) {
      return {
        sentence: `insufficient ${resource}: ${needs}, and no node is that large; the largest, ${largest.node}, has ${most}`,
        fix: lower(amountText(best.free.sign > 0 ? best.free : largest.allocatable, resource)),
      };
    }
    const free = amountText(best.free, resource);
    return {
      sentence: `insufficient ${resource}: ${needs}, and at most ${free} of ${amountText(best.allocatable, resource)} is free, on ${best.node}`,
      fix: [
        ...(best.free.sign > 0 ? lower(free) : []),
        "# or free some: fewer replicas of other workloads, or another node",
      ],
    };
  },
});
