import type { Node } from "#/api/core/v1.ts";
import type { Column, Decoded } from "../../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";

const rolePrefix = "node-role.kubernetes.io/";
const roleLabel = "kubernetes.io/role";

/** Columns of `kubectl get nodes`. Upstream: pkg/printers/internalversion/printers.go (printNode). */
export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  { name: "Status", type: "string", cell: formatStatus },
  { name: "Roles", type: "string", cell: formatRoles },
  ageColumn,
  { name: "Version", type: "string", cell: ({ status }) => status?.nodeInfo?.kubeletVersion ?? "" },
  wide("Internal-IP", (node) => address(node, "InternalIP")),
  wide("External-IP", (node) => address(node, "ExternalIP")),
  wide("OS-Image", ({ status }) => status?.nodeInfo?.osImage || "<unknown>"),
  wide("Kernel-Version", formatKernel),
  wide(
    "Container-Runtime",
    ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>",
  ),
];

function wide(name: string, cell: (node: Decoded<Node>) => string): Column<Node> {
  return { name, type: "string", priority: 1, cell };
}

function formatStatus({ spec, status }: Decoded<Node>): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const state = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return spec.unschedulable ? `${state},SchedulingDisabled` : state;
}

function formatRoles({ metadata }: Decoded<Node>): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix)) {
      if (key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    } else if (key === roleLabel && value !== "") roles.add(value);
  }
  return [...roles].sort().join(",") || "<none>";
}

function formatKernel({ status }: Decoded<Node>): string {
  const kernel = status?.nodeInfo?.kernelVersion || "<unknown>";
  const architecture = status?.nodeInfo?.architecture;
  return architecture ? `${kernel} (${architecture})` : kernel;
}

function address({ status }: Decoded<Node>, addressType: string): string {
  return status?.addresses?.find(({ type }) => type === addressType)?.address ?? "<none>";
}
