/** Upstream: sigs.k8s.io/kustomize/kyaml/openapi. */
import type { Gvk } from "./resource-id.ts";

/** The cluster-scoped kinds in kustomize, by API version: those of Kubernetes v1.21. */
const clusterKinds: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
  "admissionregistration.k8s.io/v1beta1":
    "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
  "apiextensions.k8s.io/v1": "CustomResourceDefinition",
  "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
  "apiregistration.k8s.io/v1": "APIService",
  "apiregistration.k8s.io/v1beta1": "APIService",
  "certificates.k8s.io/v1": "CertificateSigningRequest",
  "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
  "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
  "networking.k8s.io/v1": "IngressClass",
  "networking.k8s.io/v1beta1": "IngressClass",
  "node.k8s.io/v1": "RuntimeClass",
  "node.k8s.io/v1beta1": "RuntimeClass",
  "policy/v1beta1": "PodSecurityPolicy",
  "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding",
  "rbac.authorization.k8s.io/v1beta1": "ClusterRole ClusterRoleBinding",
  "scheduling.k8s.io/v1": "PriorityClass",
  "scheduling.k8s.io/v1beta1": "PriorityClass",
  "storage.k8s.io/v1": "CSIDriver CSINode StorageClass VolumeAttachment",
  "storage.k8s.io/v1beta1": "CSIDriver CSINode StorageClass VolumeAttachment",
  v1: "ComponentStatus Namespace Node NodeProxyOptions PersistentVolume",
};

const known: ReadonlySet<string> = new Set(
  Object.entries(clusterKinds).flatMap(([apiVersion, kinds]) =>
    kinds.split(" ").map((kind) => `${apiVersion} ${kind}`),
  ),
);

/** True if objects of a kind are known to have no namespace. */
export function isClusterScoped({ group, version, kind }: Gvk): boolean {
  return known.has(`${group === "" ? version : `${group}/${version}`} ${kind}`);
}
