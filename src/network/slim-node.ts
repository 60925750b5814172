import type { Node } from "#/api/core/v1.ts";

/** Nodes report their status all the time; only these parts are used here. */
export function slimNode({ status, ...node }: Node): Node {
  const metadata = { ...node.metadata, managedFields: [], annotations: {} };
  const conditions = (status?.conditions ?? [])
    .filter(({ type }) => type === "Ready")
    .map(({ type, status: value }) => ({ type, status: value }));
  return { ...node, metadata, status: { addresses: status?.addresses ?? [], conditions } };
}
