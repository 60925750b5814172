import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";

/** The group of the driver's own resources. */
export const localGroup = "local.csi.k8ts.dev";
/** Kept on an object until its node has removed the volume or snapshot. */
export const localFinalizer = `${localGroup}/content`;

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** The handle of a custom resource with a status. */
export function customResource<T>(
  group: string,
  kind: string,
  options: {
    readonly version?: string;
    readonly namespaced?: boolean;
    readonly name?: string;
  } = {},
): Resource<T> {
  const singular = kind.toLowerCase();
  const { version = "v1", namespaced = false, name = `${singular}s` } = options;
  const status = { name: "status", group, version, kind, verbs: ["get", "patch", "update"] };
  return {
    group,
    version,
    kind,
    name,
    singular,
    namespaced,
    shortNames: [],
    categories: [],
    verbs,
    subresources: [status],
  };
}

/** Why a node could not do what an object says; the code is gRPC's. */
export interface NodeError {
  readonly code: string;
  readonly message: string;
}

/** What a node has made of an object: only the node writes it. */
interface NodeReport {
  readonly phase?: "Ready" | "Failed" | "Deleted";
  readonly error?: NodeError | null;
}

/** A volume of a node, from before it is made until it is removed. */
export interface LocalVolume {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly nodeName: string;
    /** The claim that it is made for, as "namespace/name". */
    readonly claim: string;
    readonly requiredBytes: number;
    readonly volumeMode: "Filesystem" | "Block";
    readonly accessModes: readonly string[];
    readonly fsType?: string;
    readonly source?: { readonly volume?: string; readonly snapshot?: string };
  };
  readonly status?: NodeReport & {
    readonly handle?: string;
    readonly capacityBytes?: number;
    readonly context?: Readonly<Record<string, string>>;
  };
}

/** A snapshot of a volume, on the same node. */
export interface LocalSnapshot {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly nodeName: string;
    /** The name of its VolumeSnapshotContent. */
    readonly content: string;
    readonly volume: string;
  };
  readonly status?: NodeReport & {
    readonly handle?: string;
    readonly sizeBytes?: number;
    readonly createdMs?: number;
  };
}

export const localVolumes: Resource<LocalVolume> = customResource(localGroup, "LocalVolume");
export const localSnapshots: Resource<LocalSnapshot> = customResource(localGroup, "LocalSnapshot");
