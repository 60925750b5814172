import * as admissionregistrationV1 from "./admissionregistration/v1.ts";
import * as admissionregistrationV1alpha1 from "./admissionregistration/v1alpha1.ts";
import * as admissionregistrationV1beta1 from "./admissionregistration/v1beta1.ts";
import * as apiextensionsV1 from "./apiextensions/v1.ts";
import * as apiregistrationV1 from "./apiregistration/v1.ts";
import * as apiserverinternalV1alpha1 from "./apiserverinternal/v1alpha1.ts";
import * as appsV1 from "./apps/v1.ts";
import * as authenticationV1 from "./authentication/v1.ts";
import * as authorizationV1 from "./authorization/v1.ts";
import * as autoscalingV1 from "./autoscaling/v1.ts";
import * as autoscalingV2 from "./autoscaling/v2.ts";
import type { Resource } from "./base/resource.ts";
import * as batchV1 from "./batch/v1.ts";
import * as certificatesV1 from "./certificates/v1.ts";
import * as certificatesV1beta1 from "./certificates/v1beta1.ts";
import * as coordinationV1 from "./coordination/v1.ts";
import * as coordinationV1alpha2 from "./coordination/v1alpha2.ts";
import * as coordinationV1beta1 from "./coordination/v1beta1.ts";
import * as coreV1 from "./core/v1.ts";
import * as discoveryV1 from "./discovery/v1.ts";
import * as eventsV1 from "./events/v1.ts";
import * as flowcontrolV1 from "./flowcontrol/v1.ts";
import * as lifecycleV1alpha1 from "./lifecycle/v1alpha1.ts";
import * as metricsV1 from "./metrics/v1.ts";
import * as metricsV1beta1 from "./metrics/v1beta1.ts";
import * as networkingV1 from "./networking/v1.ts";
import * as nodeV1 from "./node/v1.ts";
import * as policyV1 from "./policy/v1.ts";
import * as rbacV1 from "./rbac/v1.ts";
import * as resourceV1 from "./resource/v1.ts";
import * as resourceV1alpha3 from "./resource/v1alpha3.ts";
import * as resourceV1beta1 from "./resource/v1beta1.ts";
import * as resourceV1beta2 from "./resource/v1beta2.ts";
import * as schedulingV1 from "./scheduling/v1.ts";
import * as schedulingV1alpha3 from "./scheduling/v1alpha3.ts";
import * as schedulingV1beta1 from "./scheduling/v1beta1.ts";
import * as storageV1 from "./storage/v1.ts";
import * as storagemigrationV1 from "./storagemigration/v1.ts";
import * as storagemigrationV1beta1 from "./storagemigration/v1beta1.ts";

/** Every built-in resource in every version, in the order of discovery: the preferred version of a group is first. */
export const resources: readonly Resource[] = [
  coreV1.bindings,
  coreV1.componentStatuses,
  coreV1.configMaps,
  coreV1.endpoints,
  coreV1.events,
  coreV1.limitRanges,
  coreV1.namespaces,
  coreV1.nodes,
  coreV1.persistentVolumeClaims,
  coreV1.persistentVolumes,
  coreV1.pods,
  coreV1.podTemplates,
  coreV1.replicationControllers,
  coreV1.resourceQuotas,
  coreV1.secrets,
  coreV1.serviceAccounts,
  coreV1.services,
  apiregistrationV1.apiServices,
  appsV1.controllerRevisions,
  appsV1.daemonSets,
  appsV1.deployments,
  appsV1.replicaSets,
  appsV1.statefulSets,
  eventsV1.events,
  authenticationV1.selfSubjectReviews,
  authenticationV1.tokenReviews,
  authorizationV1.localSubjectAccessReviews,
  authorizationV1.selfSubjectAccessReviews,
  authorizationV1.selfSubjectRulesReviews,
  authorizationV1.subjectAccessReviews,
  autoscalingV2.horizontalPodAutoscalers,
  autoscalingV1.horizontalPodAutoscalers,
  batchV1.cronJobs,
  batchV1.jobs,
  certificatesV1.certificateSigningRequests,
  certificatesV1.clusterTrustBundles,
  certificatesV1.podCertificateRequests,
  certificatesV1beta1.clusterTrustBundles,
  certificatesV1beta1.podCertificateRequests,
  networkingV1.ingressClasses,
  networkingV1.ingresses,
  networkingV1.ipAddresses,
  networkingV1.networkPolicies,
  networkingV1.serviceCIDRs,
  policyV1.podDisruptionBudgets,
  rbacV1.clusterRoleBindings,
  rbacV1.clusterRoles,
  rbacV1.roleBindings,
  rbacV1.roles,
  storageV1.csiDrivers,
  storageV1.csiNodes,
  storageV1.csiStorageCapacities,
  storageV1.storageClasses,
  storageV1.volumeAttachments,
  storageV1.volumeAttributesClasses,
  admissionregistrationV1.mutatingAdmissionPolicies,
  admissionregistrationV1.mutatingAdmissionPolicyBindings,
  admissionregistrationV1.mutatingWebhookConfigurations,
  admissionregistrationV1.validatingAdmissionPolicies,
  admissionregistrationV1.validatingAdmissionPolicyBindings,
  admissionregistrationV1.validatingWebhookConfigurations,
  admissionregistrationV1beta1.mutatingAdmissionPolicies,
  admissionregistrationV1beta1.mutatingAdmissionPolicyBindings,
  admissionregistrationV1alpha1.mutatingAdmissionPolicies,
  admissionregistrationV1alpha1.mutatingAdmissionPolicyBindings,
  apiextensionsV1.customResourceDefinitions,
  schedulingV1.priorityClasses,
  schedulingV1beta1.podGroups,
  schedulingV1beta1.workloads,
  schedulingV1alpha3.compositePodGroups,
  schedulingV1alpha3.podGroups,
  schedulingV1alpha3.workloads,
  coordinationV1.leases,
  coordinationV1beta1.leaseCandidates,
  coordinationV1alpha2.leaseCandidates,
  nodeV1.runtimeClasses,
  discoveryV1.endpointSlices,
  resourceV1.deviceClasses,
  resourceV1.deviceTaintRules,
  resourceV1.resourceClaims,
  resourceV1.resourceClaimTemplates,
  resourceV1.resourceSlices,
  resourceV1beta2.deviceClasses,
  resourceV1beta2.deviceTaintRules,
  resourceV1beta2.resourceClaims,
  resourceV1beta2.resourceClaimTemplates,
  resourceV1beta2.resourceSlices,
  resourceV1beta1.deviceClasses,
  resourceV1beta1.resourceClaims,
  resourceV1beta1.resourceClaimTemplates,
  resourceV1beta1.resourceSlices,
  resourceV1alpha3.deviceTaintRules,
  resourceV1alpha3.resourcePoolStatusRequests,
  flowcontrolV1.flowSchemas,
  flowcontrolV1.priorityLevelConfigurations,
  apiserverinternalV1alpha1.storageVersions,
  storagemigrationV1.storageVersionMigrations,
  storagemigrationV1beta1.storageVersionMigrations,
  lifecycleV1alpha1.evictionRequests,
  lifecycleV1alpha1.evictions,
  metricsV1beta1.nodes,
  metricsV1beta1.pods,
  metricsV1.nodes,
  metricsV1.pods,
];
