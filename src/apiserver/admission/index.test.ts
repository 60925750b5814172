import assert from "node:assert/strict";
import { test } from "node:test";
import { admissionPlugins } from "./index.ts";

test("admissionPlugins are in upstream's order, with upstream's on by default", () => {
  const shown = admissionPlugins.map(({ name, offByDefault }) =>
    offByDefault ? `(${name})` : name,
  );
  assert.deepEqual(shown, [
    "(AlwaysAdmit)",
    "(NamespaceAutoProvision)",
    "NamespaceLifecycle",
    "(NamespaceExists)",
    "(LimitPodHardAntiAffinityTopology)",
    "LimitRanger",
    "ServiceAccount",
    "(NodeRestriction)",
    "TaintNodesByCondition",
    "(AlwaysPullImages)",
    "(ImagePolicyWebhook)",
    "PodSecurity",
    "(PodNodeSelector)",
    "Priority",
    "DefaultTolerationSeconds",
    "(PodTolerationRestriction)",
    "(EventRateLimit)",
    "(ExtendedResourceToleration)",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PodGroupProtection",
    "(OwnerReferencesPermissionEnforcement)",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    "CertificateApproval",
    "CertificateSigning",
    "ClusterTrustBundleAttest",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "(DenyServiceExternalIPs)",
    "PodTopologyLabels",
    "NodeDeclaredFeatureValidator",
    "PodResizeValidator",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
    "(AlwaysDeny)",
  ]);
});
