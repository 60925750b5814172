import type { Node } from "#/api/core/v1.ts";
import type { AwsNames } from "./aws-names.ts";
import type { NodeGoal } from "./cloud-case.ts";

const prefix = "node.cloudprovider.kubernetes.io";

const checks: Readonly<Record<NodeGoal, (nodes: readonly Node[], before: number) => boolean>> = {
  initialized: (nodes) => !nodes.some((node) => hasTaint(node, "uninitialized")),
  tainted: (nodes) => nodes.some((node) => hasTaint(node, "shutdown")),
  untainted: (nodes) => !nodes.some((node) => hasTaint(node, "shutdown")),
  routed: (nodes) => nodes.every((node) => networkStatus(node) === "False"),
  unrouted: (nodes) => nodes.some((node) => networkStatus(node) === "True"),
  tagged: (nodes) =>
    nodes.every(({ metadata }) => metadata.labels?.["k8s.io/cloud-provider-aws"] !== undefined),
  "one less": (nodes, before) => nodes.length < before,
};

/** Whether the nodes are as a step wants them. */
export function hasReached(goal: string, nodes: readonly Node[], before: number): boolean {
  return checks[goal as NodeGoal](nodes, before);
}

/** What programs set of nodes. */
export function nodeOutcome(nodes: readonly Node[], names: AwsNames): object[] {
  const shown = nodes.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    labels: sorted(metadata.labels ?? {}),
    providerID: spec?.providerID,
    taints: spec?.taints?.map(({ key, value, effect }) => ({ key, value, effect })),
    addresses: status?.addresses,
    conditions: status?.conditions?.map(({ type, status: is, reason, message }) => {
      return { type, status: is, reason, message };
    }),
  }));
  const hidden = JSON.parse(names.hide(JSON.stringify(shown))) as { name: string }[];
  return hidden.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const sorted = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function hasTaint({ spec }: Node, name: string): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === `${prefix}/${name}`);
}

function networkStatus({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === "NetworkUnavailable")?.status;
}
