import type { Namespace } from "#/api/core/v1.ts";

/** Namespaces of every cluster. Upstream: pkg/controlplane/instance.go. */
const systemNamespaceNames = ["kube-system", "kube-public", "kube-node-lease", "default"];

/** The system namespaces, to be created if missing. */
export function systemNamespaces(): Namespace[] {
  return systemNamespaceNames.map((name) => ({
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name },
    spec: {},
  }));
}
