import { caPlaceholder, type Failure } from "./failure.ts";

/** Resources of the failures that are in no namespace. */
const clusterScoped = new Set([
  "StorageClass",
  "PersistentVolume",
  "RuntimeClass",
  "APIService",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "Node",
  "PriorityClass",
  "IngressClass",
  "DeviceClass",
  "VolumeAttachment",
  "CustomResourceDefinition",
]);

/** The namespace of a failure. */
export const namespaceOf = ({ name, labels = {} }: Failure): string =>
  JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });

/** The objects of a failure, as one list for `kubectl create`; its webhooks have certificates of an authority. */
export function manifestsOf({ name: namespace, objects }: Failure, ca: string): string {
  const items = objects.map((one) =>
    clusterScoped.has(one.kind) ? one : { ...one, metadata: { ...one.metadata, namespace } },
  );
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  return list.replaceAll(caPlaceholder, Buffer.from(ca).toString("base64"));
}

/** The object of a failure that is asked about. */
export function askedOf({ ask, objects: [first] }: Failure): string {
  return ask ?? `${first?.kind.toLowerCase()}/${first?.metadata.name}`;
}
