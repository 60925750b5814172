import type { AdmissionPlugin } from "./base/admission-plugin.ts";
import { alwaysAdmit } from "./plugins/always-admit.ts";
import { alwaysDeny } from "./plugins/always-deny.ts";
import { alwaysPullImages } from "./plugins/always-pull-images.ts";
import { certificateApproval } from "./plugins/certificates/certificate-approval.ts";
import { certificateSigning } from "./plugins/certificates/certificate-signing.ts";
import { certificateSubjectRestriction } from "./plugins/certificates/certificate-subject-restriction.ts";
import { clusterTrustBundleAttest } from "./plugins/certificates/cluster-trust-bundle-attest.ts";
import { defaultIngressClass } from "./plugins/default-ingress-class.ts";
import { defaultStorageClass } from "./plugins/default-storage-class.ts";
import { defaultTolerationSeconds } from "./plugins/default-toleration-seconds.ts";
import { denyServiceExternalIPs } from "./plugins/deny-service-external-ips.ts";
import { eventRateLimit } from "./plugins/event-rate-limit.ts";
import { extendedResourceToleration } from "./plugins/extended-resource-toleration.ts";
import { imagePolicyWebhook } from "./plugins/image-policy-webhook.ts";
import { limitPodHardAntiAffinityTopology } from "./plugins/limit-pod-hard-anti-affinity-topology.ts";
import { limitRanger } from "./plugins/limit-ranger/limit-ranger.ts";
import { namespaceAutoProvision } from "./plugins/namespace-auto-provision.ts";
import { namespaceExists } from "./plugins/namespace-exists.ts";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle.ts";
import { nodeDeclaredFeatureValidator } from "./plugins/node-declared-feature-validator.ts";
import { nodeRestriction } from "./plugins/node-restriction/node-restriction.ts";
import { ownerReferencesPermissionEnforcement } from "./plugins/owner-references-permission-enforcement.ts";
import { persistentVolumeClaimResize } from "./plugins/persistent-volume-claim-resize.ts";
import { podGroupProtection } from "./plugins/pod-group-protection.ts";
import { podNodeSelector } from "./plugins/pod-node-selector.ts";
import { podResizeValidator } from "./plugins/pod-resize-validator.ts";
import { podSecurity } from "./plugins/pod-security/pod-security.ts";
import { podTolerationRestriction } from "./plugins/pod-toleration-restriction.ts";
import { podTopologyLabels } from "./plugins/pod-topology-labels.ts";
import { priority } from "./plugins/priority.ts";
import { resourceQuota } from "./plugins/resource-quota/resource-quota.ts";
import { runtimeClass } from "./plugins/runtime-class.ts";
import { serviceAccount } from "./plugins/service-account/service-account.ts";
import { storageObjectInUseProtection } from "./plugins/storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./plugins/taint-nodes-by-condition.ts";
import { mutatingAdmissionPolicy } from "./policy/mutating-admission-policy.ts";
import { validatingAdmissionPolicy } from "./policy/validating-admission-policy.ts";
import { mutatingAdmissionWebhook } from "./webhook/mutating-admission-webhook.ts";
import { validatingAdmissionWebhook } from "./webhook/validating-admission-webhook.ts";

/** Every plugin, in call order. Upstream: pkg/kubeapiserver/options/plugins.go. */
export const admissionPlugins: readonly AdmissionPlugin[] = [
  alwaysAdmit,
  namespaceAutoProvision,
  namespaceLifecycle,
  namespaceExists,
  limitPodHardAntiAffinityTopology,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  alwaysPullImages,
  imagePolicyWebhook,
  podSecurity,
  podNodeSelector,
  priority,
  defaultTolerationSeconds,
  podTolerationRestriction,
  eventRateLimit,
  extendedResourceToleration,
  defaultStorageClass,
  storageObjectInUseProtection,
  podGroupProtection,
  ownerReferencesPermissionEnforcement,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
  certificateSubjectRestriction,
  defaultIngressClass,
  denyServiceExternalIPs,
  podTopologyLabels,
  nodeDeclaredFeatureValidator,
  podResizeValidator,
  mutatingAdmissionPolicy,
  mutatingAdmissionWebhook,
  validatingAdmissionPolicy,
  validatingAdmissionWebhook,
  resourceQuota,
  alwaysDeny,
];
