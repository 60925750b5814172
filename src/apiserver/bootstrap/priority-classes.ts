import type { PriorityClass } from "#/api/scheduling/v1.ts";

/** Limit of users' priorities; those of the system are higher. */
const highestUserPriority = 1_000_000_000;

/** The priority classes that every cluster has. Upstream: pkg/apis/scheduling/v1/helpers.go. */
export function systemPriorityClasses(): PriorityClass[] {
  const systemClass = (name: string, value: number, description: string): PriorityClass => ({
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name },
    value,
    description,
  });
  return [
    systemClass(
      "system-node-critical",
      2 * highestUserPriority + 1000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
    systemClass(
      "system-cluster-critical",
      2 * highestUserPriority,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
  ];
}
