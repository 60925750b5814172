/** Upstream: github.com/kubernetes-csi/external-provisioner/pkg/controller/controller.go. */
import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { StorageClass } from "#/api/storage/v1.ts";
import { quantityOf } from "#/machinery/values/quantity.ts";
import { requestedStorage } from "#/machinery/volumes/match-volume.ts";
import { identityKey, ownIdentity, provisionedBy, volumeFinalizer } from "../base/annotations.ts";
import {
  type LocalVolume,
  localFinalizer,
  localGroup,
  type NodeError,
} from "../base/custom-objects.ts";
import { driverName, nodeKey } from "../base/names.ts";

const fsTypeParameter = "csi.storage.k8s.io/fstype";

/** The name of a claim's volume: the same at each try. */
export const volumeNameOf = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`;

/** Why a class cannot have volumes; undefined if it can. */
export function classProblem({ parameters = {} }: StorageClass): string | undefined {
  const unknown = Object.keys(parameters).find((name) => name !== fsTypeParameter);
  return unknown && `parameter ${unknown} is unknown: the only one is ${fsTypeParameter}`;
}

/** The file system of volumes of a class; undefined for devices, and if the node chooses. */
function fsTypeOf({ parameters = {} }: StorageClass, { spec }: PersistentVolumeClaim) {
  return spec.volumeMode === "Block" ? undefined : parameters[fsTypeParameter];
}

/** The object by which a node makes the volume of a claim. */
export function planLocalVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  place: { readonly nodeName: string; readonly source: LocalVolume["spec"]["source"] },
): LocalVolume {
  const { namespace, name } = claim.metadata;
  const fsType = fsTypeOf(storageClass, claim);
  return {
    apiVersion: `${localGroup}/v1`,
    kind: "LocalVolume",
    metadata: { name: volumeNameOf(claim), finalizers: [localFinalizer] },
    spec: {
      nodeName: place.nodeName,
      claim: `${namespace}/${name}`,
      requiredBytes: Number(requestedStorage(claim).asInt64() ?? requestedStorage(claim).value()),
      volumeMode: claim.spec.volumeMode === "Block" ? "Block" : "Filesystem",
      accessModes: claim.spec.accessModes ?? [],
      ...(fsType && { fsType }),
      ...(place.source && { source: place.source }),
    },
  };
}

/** The PersistentVolume of a claim, once a node has made it. */
export function planPersistentVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  { spec, status }: LocalVolume,
): PersistentVolume {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = claim.metadata;
  const reclaimPolicy = storageClass.reclaimPolicy ?? "Delete";
  const capacity = quantityOf(status?.capacityBytes ?? 0, "BinarySI").toString();
  const key = { key: nodeKey, operator: "In" as const, values: [spec.nodeName] };
  const fsType = fsTypeOf(storageClass, claim);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: volumeNameOf(claim),
      annotations: { [provisionedBy]: driverName },
      ...(reclaimPolicy === "Delete" && { finalizers: [volumeFinalizer] }),
    },
    spec: {
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage: capacity },
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace,
        name,
        uid,
        resourceVersion,
      },
      csi: {
        driver: driverName,
        volumeHandle: status?.handle ?? "",
        volumeAttributes: { ...status?.context, [identityKey]: ownIdentity },
        ...(fsType && { fsType }),
      },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [key] }] } },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name ?? "",
      volumeMode: spec.volumeMode,
      ...(storageClass.mountOptions && { mountOptions: storageClass.mountOptions }),
    },
  };
}

/** An error of a node in the words of a Go client of gRPC, as the sidecars of kubernetes-csi show it. */
export function describeNodeError({ code, message }: NodeError): string {
  const words = code.toLowerCase().split("_");
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("");
  return `rpc error: code = ${name} desc = ${message}`;
}
