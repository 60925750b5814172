/** Upstream: cmd/kube-controller-manager/app/controller_descriptor.go, …/names/controller_names.go. */
import type { Controller } from "#/controller/controller.ts";
import { attachDetachController } from "./attach-detach/attach-detach.ts";
import type { ManagerOptions } from "./base/manager-options.ts";
import { bootstrapSignerController } from "./bootstrap-tokens/bootstrap-signer.ts";
import { tokenCleanerController } from "./bootstrap-tokens/token-cleaner.ts";
import { csrApprovingController } from "./certificates/approve.ts";
import { csrCleanerController } from "./certificates/clean.ts";
import { podCertificateCleanerController } from "./certificates/clean-pod-requests.ts";
import { csrSigningController } from "./certificates/sign.ts";
import { clusterRoleAggregationController } from "./cluster-role-aggregation/cluster-role-aggregation.ts";
import { cronJobController } from "./cron-job/cron-job.ts";
import { daemonSetController } from "./daemon-set/daemon-set.ts";
import { deploymentController } from "./deployment/deployment.ts";
import { disruptionController } from "./disruption/disruption.ts";
import { endpointSliceController } from "./endpoint-slice/endpoint-slice.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring/endpoint-slice-mirroring.ts";
import { endpointsController } from "./endpoints/endpoints.ts";
import { ephemeralVolumeController } from "./ephemeral-volume/ephemeral-volume.ts";
import { garbageCollectorController } from "./garbage-collector/garbage-collector.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { jobController } from "./job/job.ts";
import { namespaceController } from "./namespace/namespace.ts";
import { nodeIpamController } from "./node-ipam/node-ipam.ts";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle.ts";
import { persistentVolumeBinderController } from "./persistent-volume-binder/persistent-volume-binder.ts";
import { podGcController } from "./pod-gc/pod-gc.ts";
import { podGroupProtectionController } from "./pod-group-protection/pod-group-protection.ts";
import { replicaSetController } from "./replica-set/replica-set.ts";
import { replicationControllerController } from "./replica-set/replication-controller.ts";
import { resourceClaimController } from "./resource-claim/resource-claim.ts";
import { resourceQuotaController } from "./resource-quota/resource-quota.ts";
import { rootCaController } from "./root-ca/root-ca.ts";
import { accountTokenController } from "./service-account/account-tokens.ts";
import { legacyTokenCleanerController } from "./service-account/legacy-token-cleaner.ts";
import { serviceAccountController } from "./service-account/service-account.ts";
import { serviceCidrController } from "./service-cidr/service-cidr.ts";
import { statefulSetController } from "./stateful-set/stateful-set.ts";
import { taintEvictionController } from "./taint-eviction/taint-eviction.ts";
import { ttlController } from "./ttl/ttl.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/ttl-after-finished.ts";
import { validatingAdmissionPolicyStatusController } from "./validating-admission-policy-status/validating-admission-policy-status.ts";
import { volumeExpandController } from "./volume-expand/volume-expand.ts";
import {
  attributesClassProtectionController,
  claimProtectionController,
  volumeProtectionController,
} from "./volume-protection/volume-protection.ts";

/** A controller of the manager, and how --controllers and feature gates select it. */
export interface ControllerEntry {
  readonly controller: Controller<ManagerOptions>;
  /** Its name in earlier versions. */
  readonly alias?: string;
  /** Its service account, to which the bootstrap policy binds its role; default its name. */
  readonly account?: string;
  readonly isOffByDefault?: boolean;
  /** Feature gates that must all be enabled. */
  readonly gates?: readonly string[];
}

/** Every controller, in upstream's order. */
export const controllerEntries: readonly ControllerEntry[] = [
  {
    controller: accountTokenController,
    alias: "serviceaccount-token",
    account: "tokens-controller",
  },
  { controller: endpointsController, alias: "endpoint", account: "endpoint-controller" },
  { controller: endpointSliceController, alias: "endpointslice" },
  {
    controller: endpointSliceMirroringController,
    alias: "endpointslicemirroring",
    account: "endpointslicemirroring-controller",
  },
  {
    controller: replicationControllerController,
    alias: "replicationcontroller",
    account: "replication-controller",
  },
  { controller: resourceQuotaController, alias: "resourcequota" },
  {
    controller: podGcController,
    alias: "podgc",
    account: "pod-garbage-collector",
  },
  { controller: namespaceController, alias: "namespace" },
  {
    controller: serviceAccountController,
    alias: "serviceaccount",
    account: "service-account-controller",
  },
  {
    controller: garbageCollectorController,
    alias: "garbagecollector",
    account: "generic-garbage-collector",
  },
  { controller: daemonSetController, alias: "daemonset", account: "daemon-set-controller" },
  { controller: jobController, alias: "job" },
  { controller: deploymentController, alias: "deployment" },
  { controller: replicaSetController, alias: "replicaset" },
  {
    controller: horizontalPodAutoscalerController,
    alias: "horizontalpodautoscaling",
    account: "horizontal-pod-autoscaler",
  },
  { controller: disruptionController, alias: "disruption" },
  { controller: statefulSetController, alias: "statefulset" },
  { controller: cronJobController, alias: "cronjob" },
  { controller: csrSigningController, alias: "csrsigning", account: "certificate-controller" },
  { controller: csrApprovingController, alias: "csrapproving", account: "certificate-controller" },
  { controller: csrCleanerController, alias: "csrcleaner", account: "certificate-controller" },
  {
    controller: podCertificateCleanerController,
    account: "podcertificaterequestcleaner",
    gates: ["PodCertificateRequest"],
  },
  { controller: ttlController, alias: "ttl" },
  {
    controller: bootstrapSignerController,
    alias: "bootstrapsigner",
    account: "bootstrap-signer",
    isOffByDefault: true,
  },
  {
    controller: tokenCleanerController,
    alias: "tokencleaner",
    account: "token-cleaner",
    isOffByDefault: true,
  },
  { controller: nodeIpamController, alias: "nodeipam", account: "node-controller" },
  { controller: nodeLifecycleController, alias: "nodelifecycle", account: "node-controller" },
  {
    controller: persistentVolumeBinderController,
    alias: "persistentvolume-binder",
    account: "persistent-volume-binder",
  },
  {
    controller: attachDetachController,
    alias: "attachdetach",
    account: "attachdetach-controller",
  },
  {
    controller: volumeExpandController,
    alias: "persistentvolume-expander",
    account: "expand-controller",
  },
  { controller: podGroupProtectionController, gates: ["GenericWorkload"] },
  { controller: ttlAfterFinishedController, alias: "ttl-after-finished" },
  {
    controller: rootCaController,
    alias: "root-ca-cert-publisher",
    account: "root-ca-cert-publisher",
  },
  { controller: ephemeralVolumeController, alias: "ephemeral-volume" },
  {
    controller: resourceClaimController,
    alias: "resource-claim-controller",
    account: "resource-claim-controller",
    gates: ["DynamicResourceAllocation"],
  },
  {
    controller: legacyTokenCleanerController,
    alias: "legacy-service-account-token-cleaner",
    account: "legacy-service-account-token-cleaner",
  },
  { controller: validatingAdmissionPolicyStatusController },
  { controller: serviceCidrController, account: "service-cidrs-controller" },
  { controller: clusterRoleAggregationController, alias: "clusterrole-aggregation" },
  { controller: taintEvictionController, account: "node-controller" },
  {
    controller: claimProtectionController,
    alias: "pvc-protection",
    account: "pvc-protection-controller",
  },
  {
    controller: volumeProtectionController,
    alias: "pv-protection",
    account: "pv-protection-controller",
  },
  { controller: attributesClassProtectionController },
];
