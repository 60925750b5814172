/** Upstream: cmd/kubelet/app/options/options.go (ValidateKubeletFlags), staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go. */
import { isLabelValue, isQualifiedName } from "#/machinery/meta/names.ts";

const allowedNames = [
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
];
const allowedNamespaces = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const reserved = /(^|\.)(kubernetes|k8s)\.io$/;

/** Throws for labels that a node may not give itself, or that no object may have. */
export function validateNodeLabels(labels: Readonly<Record<string, string>>): void {
  const unknown = Object.keys(labels).filter(isReserved).sort();
  if (unknown.length > 0) {
    throw new Error(
      `failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${unknown.join(" ")}]\n--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${allowedNamespaces.join(", ")}) or be in the specifically allowed set (${allowedNames.join(", ")})`,
    );
  }
  const invalid = Object.entries(labels).flatMap(([key, value]) =>
    [[key, isQualifiedName(key)] as const, [value, isLabelValue(value)] as const].flatMap(
      ([text, problems]) => (problems.length > 0 ? [`'${text}' - ${problems.join(", ")}`] : []),
    ),
  );
  if (invalid.length === 0) return;
  throw new Error(`failed to validate kubelet flags: invalid node labels: ${invalid.join("; ")}`);
}

function isReserved(key: string): boolean {
  const [namespace = "", ...rest] = key.split("/");
  if (rest.length === 0 || !reserved.test(namespace) || allowedNames.includes(key)) return false;
  return !allowedNamespaces.some(
    (allowed) => namespace === allowed || namespace.endsWith(`.${allowed}`),
  );
}
