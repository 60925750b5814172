import type { Service } from "#/api/core/v1.ts";
import { formatLabels } from "#/machinery/meta/format-labels.ts";
import type { Column } from "../../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";

/** Columns of `kubectl get services`. Upstream: pkg/printers/internalversion/printers.go (printService). */
export const serviceColumns: readonly Column<Service>[] = [
  nameColumn,
  { name: "Type", type: "string", cell: ({ spec }) => spec.type ?? "" },
  { name: "Cluster-IP", type: "string", cell: ({ spec }) => spec.clusterIPs?.[0] ?? "<none>" },
  { name: "External-IP", type: "string", cell: formatExternalIP },
  { name: "Port(s)", type: "string", cell: formatPorts },
  ageColumn,
  {
    name: "Selector",
    type: "string",
    priority: 1,
    cell: ({ spec }) => formatLabels(spec.selector) || "<none>",
  },
];

function formatExternalIP({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  switch (spec.type) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer": {
      const ingress = (status?.loadBalancer?.ingress ?? []).map(
        ({ ip, hostname }) => ip || hostname || "",
      );
      const balancers = [...new Set(ingress.filter((address) => address !== ""))].sort();
      return [...balancers, ...external].join(",") || "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function formatPorts({ spec: { ports = [] } }: Service): string {
  const shown = ports.map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return shown.join(",") || "<none>";
}
