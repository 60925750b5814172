import type { Node, Pod } from "#/api/core/v1.ts";

/** Constraints of pods: none, spread over zones, or anti-affinity by host. */
export type PodKind = "plain" | "spread" | "anti-affinity";

/** A node as in upstream's own benchmarks. */
export function benchNode(index: number): Node {
  const name = `node-${index}`;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": `zone-${index % 10}`,
      },
    },
    spec: {},
    status: {
      capacity: { cpu: "4", memory: "32Gi", pods: "110" },
      allocatable: { cpu: "4", memory: "32Gi", pods: "110" },
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
}

export function benchPod(index: number, kind: PodKind): Pod {
  const labels: Record<string, string> = { app: kind, group: `group-${index % 20}` };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${index}`, namespace: "bench", labels },
    spec: {
      containers: [
        {
          name: "pause",
          image: "pause",
          resources: { requests: { cpu: "100m", memory: "500Mi" } },
        },
      ],
      ...demands(kind, labels),
    },
  };
}

function demands(kind: PodKind, labels: Record<string, string>): Partial<Pod["spec"]> {
  if (kind === "spread") {
    return {
      topologySpreadConstraints: [
        {
          maxSkew: 5,
          topologyKey: "topology.kubernetes.io/zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: kind } },
        },
      ],
    };
  }
  if (kind !== "anti-affinity") return {};
  const term = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { group: labels["group"] ?? "" } },
  };
  return {
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
    },
  };
}
