import type { Node } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { forbid } from "../../base/forbid.ts";
import type { NodeRequest } from "./node-restriction.ts";

type Labels = Readonly<Record<string, string>>;

const restrictionDomain = "node-restriction.kubernetes.io";
/** Kubernetes labels that a kubelet may set on its own node. */
const kubeletLabels = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);
const kubeletDomains = ["kubelet.kubernetes.io", "node.kubernetes.io"];

/** A node may change only its own Node, without taints, owners and restricted labels. */
export function admitNode(request: NodeRequest): void {
  const { operation, nodeName, name } = request;
  const node = goQuote(nodeName);
  if (name !== nodeName) {
    throw forbid(request, `node ${node} is not allowed to modify node ${goQuote(name)}`);
  }
  if (operation === "CREATE") admitNewNode(request);
  if (operation === "UPDATE") admitChangedNode(request);
}

function admitNewNode(request: NodeRequest): void {
  const { metadata, spec } = request.object as Decoded<Node>;
  const node = goQuote(request.nodeName);
  if (spec?.configSource !== undefined) {
    throw forbid(request, `node ${node} is not allowed to create pods with a non-nil configSource`);
  }
  const labels = forbiddenLabels(metadata.labels, {});
  if (labels.length === 0) return;
  throw forbid(
    request,
    `node ${node} is not allowed to set the following labels: ${labels.join(", ")}`,
  );
}

function admitChangedNode(request: NodeRequest): void {
  const { metadata, spec = {} } = request.object as Decoded<Node>;
  const { metadata: oldMetadata, spec: old = {} } = request.oldObject as Decoded<Node>;
  const node = goQuote(request.nodeName);
  if (spec.configSource !== undefined && !deepEqual(spec.configSource, old.configSource)) {
    throw forbid(
      request,
      `node ${node} is not allowed to update configSource to a new non-nil configSource`,
    );
  }
  if (!deepEqual(spec.taints ?? [], old.taints ?? [])) {
    throw forbid(request, `node ${node} is not allowed to modify taints`);
  }
  if (!deepEqual(metadata.ownerReferences ?? [], oldMetadata.ownerReferences ?? [])) {
    throw forbid(request, `node ${node} is not allowed to modify ownerReferences`);
  }
  const labels = forbiddenLabels(metadata.labels, oldMetadata.labels);
  if (labels.length > 0) {
    throw forbid(request, `is not allowed to modify labels: ${labels.join(", ")}`);
  }
}

/** The changed labels that a kubelet may not set, sorted. */
function forbiddenLabels(labels: Labels = {}, old: Labels = {}): string[] {
  const keys = new Set([...Object.keys(labels), ...Object.keys(old)]);
  return [...keys].filter((key) => labels[key] !== old[key] && isForbidden(key)).sort();
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf("/");
  const domain = slash < 0 ? "" : label.slice(0, slash);
  if (isUnder(domain, restrictionDomain)) return true;
  if (!isUnder(domain, "kubernetes.io") && !isUnder(domain, "k8s.io")) return false;
  return !kubeletLabels.has(label) && !kubeletDomains.some((allowed) => isUnder(domain, allowed));
}

const isUnder = (domain: string, parent: string): boolean =>
  domain === parent || domain.endsWith(`.${parent}`);
