/** Upstream: github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1. */
import type { Resource } from "#/api/base/resource.ts";
import type { ObjectReference } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { customResource } from "./custom-objects.ts";

const group = "snapshot.storage.k8s.io";

interface SnapshotError {
  readonly message?: string;
  readonly time?: string;
}

export interface VolumeSnapshot {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly source: {
      readonly persistentVolumeClaimName?: string;
      readonly volumeSnapshotContentName?: string;
    };
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: {
    readonly boundVolumeSnapshotContentName?: string;
    readonly creationTime?: string;
    readonly readyToUse?: boolean;
    readonly restoreSize?: string;
    readonly error?: SnapshotError | null;
  };
}

export interface VolumeSnapshotContent {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly deletionPolicy: "Delete" | "Retain";
    readonly driver: string;
    readonly source: { readonly snapshotHandle?: string; readonly volumeHandle?: string };
    readonly sourceVolumeMode?: string;
    readonly volumeSnapshotClassName?: string;
    readonly volumeSnapshotRef: ObjectReference;
  };
  readonly status?: {
    /** Since 1970 (ns): beyond the safe integers. */
    readonly creationTime?: number | bigint;
    readonly readyToUse?: boolean;
    readonly restoreSize?: number;
    readonly snapshotHandle?: string;
    readonly error?: SnapshotError | null;
  };
}

export interface VolumeSnapshotClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly driver: string;
  readonly deletionPolicy: "Delete" | "Retain";
  readonly parameters?: Readonly<Record<string, string>>;
}

export const volumeSnapshots: Resource<VolumeSnapshot> = customResource(group, "VolumeSnapshot", {
  namespaced: true,
});
export const volumeSnapshotContents: Resource<VolumeSnapshotContent> = customResource(
  group,
  "VolumeSnapshotContent",
);
export const volumeSnapshotClasses: Resource<VolumeSnapshotClass> = customResource(
  group,
  "VolumeSnapshotClass",
  { name: "volumesnapshotclasses" },
);
