import type { StatefulSet, StatefulSetSpec } from "#/api/apps/v1.ts";
import type { PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { roundResourceList } from "../../core/pod-spec/base/resource-list-defaults.ts";
import { setPodTemplateDefaults } from "../../core/pod-spec/pod-defaults.ts";
import { setClaimSpecDefaults } from "../../core/pod-spec/volumes/volume-defaults.ts";

/** Sets the defaults of a stateful set. Upstream: pkg/apis/apps/v1/defaults.go, conversion.go. */
export function setStatefulSetDefaults({ spec }: Decoded<StatefulSet>): void {
  spec.podManagementPolicy ||= "OrderedReady";
  setUpdateStrategyDefaults(spec);
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateDefaults(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) setClaimDefaults(claim);
}

function setUpdateStrategyDefaults(spec: StatefulSetSpec): void {
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  if (!updateStrategy.type) {
    updateStrategy.type = "RollingUpdate";
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type !== "RollingUpdate" || !updateStrategy.rollingUpdate) return;
  updateStrategy.rollingUpdate.partition ??= 0;
  updateStrategy.rollingUpdate.maxUnavailable ??= 1;
}

/** Claims inside a list have apiVersion and kind, for old clients. */
function setClaimDefaults(claim: PersistentVolumeClaim): void {
  claim.apiVersion = "v1";
  claim.kind = "PersistentVolumeClaim";
  claim.status ??= {};
  claim.status.phase ||= "Pending";
  setClaimSpecDefaults(claim.spec);
  roundResourceList(claim.status.capacity);
  roundResourceList(claim.status.allocatedResources);
}
