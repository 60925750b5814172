import type { PodSpec, Volume, VolumeProjection } from "#/api/core/v1.ts";
import { table } from "#/std/base/table.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  findReferredConfigMap,
  findReferredSecret,
} from "../service-account/find-referred-secret.ts";

/** The API object that a pod refers to, or the reason why that is unknown. */
interface ApiReference {
  readonly resource: string;
  readonly error?: string;
}

/** Volumes without references to API objects. */
const localVolumes = new Set([
  "awsElasticBlockStore",
  "azureDisk",
  "cephfs",
  "cinder",
  "downwardAPI",
  "emptyDir",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "hostPath",
  "image",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
]);

const apiVolumes: Readonly<Record<string, string>> = table({
  configMap: "configmaps (via configmap volumes)",
  secret: "secrets (via secret volumes)",
  csi: "csidrivers (via CSI volumes)",
  glusterfs: "endpoints (via glusterFS volumes)",
  persistentVolumeClaim: "persistentvolumeclaims",
  ephemeral: "persistentvolumeclaims (via ephemeral volumes)",
  azureFile: "secrets (via azureFile volumes)",
});

const apiProjections: Readonly<Record<string, string>> = table({
  configMap: "configmaps (via projected volumes)",
  secret: "secrets (via projected volumes)",
  serviceAccountToken: "serviceaccounts (via projected volumes)",
  clusterTrustBundle: "clustertrustbundles",
  podCertificate: "podcertificates",
});

/** An API object that a pod refers to; a mirror pod may not. Upstream: pkg/api/pod/util.go. */
export function findApiReference(spec: PodSpec): ApiReference | undefined {
  if (spec.serviceAccountName) return { resource: "serviceaccounts" };
  if (findReferredSecret(spec) !== undefined) return { resource: "secrets" };
  if (findReferredConfigMap(spec) !== undefined) return { resource: "configmaps" };
  if ((spec.resourceClaims?.length ?? 0) > 0) return { resource: "resourceclaims" };
  for (const volume of spec.volumes ?? []) {
    const found = referenceOfVolume(volume);
    if (found) return found;
  }
  return undefined;
}

function referenceOfVolume(volume: Volume): ApiReference | undefined {
  const kinds = Object.keys(volume);
  if (kinds.some((kind) => localVolumes.has(kind))) return undefined;
  const kind = kinds.find((name) => Object.hasOwn(apiVolumes, name));
  if (kind !== undefined) return { resource: apiVolumes[kind] ?? "" };
  if (!volume.projected) {
    return { resource: "", error: `unknown volume type for volume  ${goQuote(volume.name)}` };
  }
  for (const source of volume.projected.sources ?? []) {
    const found = referenceOfProjection(source, volume.name);
    if (found) return found;
  }
  return undefined;
}

function referenceOfProjection(source: VolumeProjection, volume: string): ApiReference | undefined {
  const kind = Object.keys(apiProjections).find((name) => Object.hasOwn(source, name));
  if (kind !== undefined) return { resource: apiProjections[kind] ?? "" };
  if (source.downwardAPI) return undefined;
  return { resource: "", error: `unknown source for projected volume ${goQuote(volume)}` };
}
