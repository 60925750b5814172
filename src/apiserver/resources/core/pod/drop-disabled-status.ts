import type { ContainerStatus, PodStatus } from "#/api/core/v1.ts";
import type { PodGates } from "../pod-spec/base/pod-gates.ts";

/**
 * Drops parts of a Pod's status that belong to disabled features, unless the old status has them.
 *
 * Upstream: pkg/api/pod/util.go.
 */

interface GatedStatus {
  readonly gate: string;
  uses(status: PodStatus): boolean;
  drop(status: PodStatus): void;
}

function* containerStatuses(status: PodStatus): Generator<ContainerStatus, void> {
  yield* status.containerStatuses ?? [];
  yield* status.initContainerStatuses ?? [];
  yield* status.ephemeralContainerStatuses ?? [];
}

const gated: readonly GatedStatus[] = [
  {
    gate: "InPlacePodLevelResourcesVerticalScaling",
    uses: ({ resources, allocatedResources }) =>
      resources !== undefined || allocatedResources !== undefined,
    drop(status) {
      delete status.resources;
      delete status.allocatedResources;
    },
  },
  {
    gate: "ResourceHealthStatus",
    uses: (status) => containerStatuses(status).some((one) => one.allocatedResourcesStatus?.length),
    drop(status) {
      for (const one of containerStatuses(status)) delete one.allocatedResourcesStatus;
    },
  },
  {
    gate: "ResourceHealthStatusMessage",
    uses: (status) => healths(status).some(({ message }) => message !== undefined),
    drop(status) {
      for (const health of healths(status)) delete health.message;
    },
  },
  {
    gate: "ImageVolumeWithDigest",
    uses: (status) => mounts(status).some(({ volumeStatus }) => volumeStatus !== undefined),
    drop(status) {
      for (const mount of mounts(status)) delete mount.volumeStatus;
    },
  },
  {
    gate: "DRANodeAllocatableResources",
    uses: (status) => (status.nodeAllocatableResourceClaimStatuses?.length ?? 0) > 0,
    drop(status) {
      delete status.nodeAllocatableResourceClaimStatuses;
    },
  },
  {
    gate: "CSIVolumeHealth",
    uses: ({ volumeHealth }) => (volumeHealth?.length ?? 0) > 0,
    drop(status) {
      delete status.volumeHealth;
    },
  },
];

const healths = (status: PodStatus) =>
  containerStatuses(status)
    .flatMap((one) => one.allocatedResourcesStatus ?? [])
    .flatMap(({ resources }) => resources ?? []);

const mounts = (status: PodStatus) =>
  containerStatuses(status).flatMap(({ volumeMounts }) => volumeMounts ?? []);

/** Drops the parts of disabled features. */
export function dropDisabledStatusFields(
  status: PodStatus | undefined,
  old: PodStatus | undefined,
  gates: Pick<PodGates, "enabled">,
): void {
  if (status === undefined || status === old) return;
  for (const { gate, uses, drop } of gated) {
    if (gates.enabled(gate) || !uses(status)) continue;
    if (old === undefined || !uses(old)) drop(status);
  }
}
