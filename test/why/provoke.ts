import type { Failure } from "./failure.ts";

/** Resources of the failures that are in no namespace. */
const clusterScoped = new Set([
  "StorageClass",
  "PersistentVolume",
  "RuntimeClass",
  "APIService",
  "ValidatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
]);

/** Everything that failures need, as one list for `kubectl apply`. */
export function manifestsOf(failures: readonly Failure[]): string {
  const namespaces = failures.map(({ name, labels = {} }) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels },
  }));
  const objects = failures.flatMap(({ name: namespace, objects: all }) =>
    all.map((one) =>
      clusterScoped.has(one.kind) ? one : { ...one, metadata: { ...one.metadata, namespace } },
    ),
  );
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: [...namespaces, ...objects] });
}

/** The object of a failure that is asked about. */
export function askedOf({ ask, objects: [first] }: Failure): string {
  return ask ?? `${first?.kind.toLowerCase()}/${first?.metadata.name}`;
}
