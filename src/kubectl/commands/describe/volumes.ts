/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (volumes). */
import type { Volume } from "#/api/core/v1.ts";
import { goValue } from "#/machinery/patch/go-value.ts";
import type { Description } from "./description.ts";

type Source = Readonly<Record<string, unknown>>;

/** The title of a kind of volume, and the fields that are shown of it. */
interface VolumeKind {
  readonly type: string;
  readonly fields: readonly (readonly [title: string, value: (source: Source) => unknown])[];
}

const text =
  (field: string) =>
  (source: Source): unknown =>
    source[field] ?? "";
const flag =
  (field: string) =>
  (source: Source): unknown =>
    source[field] ?? false;
const number =
  (field: string) =>
  (source: Source): unknown =>
    source[field] ?? 0;
const reference =
  (field: string) =>
  (source: Source): unknown => {
    const found = source[field] as { name?: string } | undefined;
    return found ? `&LocalObjectReference{Name:${found.name ?? ""},}` : "nil";
  };
const list =
  (field: string) =>
  (source: Source): unknown =>
    `[${((source[field] ?? []) as unknown[]).join(" ")}]`;

const kinds: Readonly<Record<string, VolumeKind>> = {
  hostPath: {
    type: "HostPath (bare host directory volume)",
    fields: [
      ["Path", text("path")],
      ["HostPathType", ({ type = "<none>" }) => type],
    ],
  },
  emptyDir: {
    type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    fields: [
      ["Medium", text("medium")],
      ["SizeLimit", ({ sizeLimit }) => (sizeLimit && sizeLimit !== "0" ? sizeLimit : "<unset>")],
    ],
  },
  secret: {
    type: "Secret (a volume populated by a Secret)",
    fields: [
      ["SecretName", text("secretName")],
      ["Optional", flag("optional")],
    ],
  },
  configMap: {
    type: "ConfigMap (a volume populated by a ConfigMap)",
    fields: [
      ["Name", text("name")],
      ["Optional", flag("optional")],
    ],
  },
  nfs: {
    type: "NFS (an NFS mount that lasts the lifetime of a pod)",
    fields: [
      ["Server", text("server")],
      ["Path", text("path")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  persistentVolumeClaim: {
    type: "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    fields: [
      ["ClaimName", text("claimName")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  local: {
    type: "LocalVolume (a persistent volume backed by local storage on a node)",
    fields: [["Path", text("path")]],
  },
  gcePersistentDisk: {
    type: "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
    fields: [
      ["PDName", text("pdName")],
      ["FSType", text("fsType")],
      ["Partition", number("partition")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  awsElasticBlockStore: {
    type: "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
    fields: [
      ["VolumeID", text("volumeID")],
      ["FSType", text("fsType")],
      ["Partition", number("partition")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  gitRepo: {
    type: "GitRepo (a volume that is pulled from git when the pod is created)",
    fields: [
      ["Repository", text("repository")],
      ["Revision", text("revision")],
    ],
  },
  rbd: {
    type: "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
    fields: [
      ["CephMonitors", list("monitors")],
      ["RBDImage", text("image")],
      ["FSType", text("fsType")],
      ["RBDPool", text("pool")],
      ["RadosUser", text("user")],
      ["Keyring", text("keyring")],
      ["SecretRef", reference("secretRef")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  cephfs: {
    type: "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
    fields: [
      ["Monitors", list("monitors")],
      ["Path", text("path")],
      ["User", text("user")],
      ["SecretFile", text("secretFile")],
      ["SecretRef", reference("secretRef")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  glusterfs: {
    type: "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
    fields: [
      ["EndpointsName", text("endpoints")],
      ["Path", text("path")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  fc: {
    type: "FC (a Fibre Channel disk)",
    fields: [
      ["TargetWWNs", ({ targetWWNs }) => ((targetWWNs ?? []) as string[]).join(", ")],
      ["LUN", ({ lun = "<none>" }) => lun],
      ["FSType", text("fsType")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  azureFile: {
    type: "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
    fields: [
      ["SecretName", text("secretName")],
      ["ShareName", text("shareName")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  azureDisk: {
    type: "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
    fields: [
      ["DiskName", text("diskName")],
      ["DiskURI", text("diskURI")],
      ["Kind", text("kind")],
      ["FSType", text("fsType")],
      ["CachingMode", text("cachingMode")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  vsphereVolume: {
    type: "vSphereVolume (a Persistent Disk resource in vSphere)",
    fields: [
      ["VolumePath", text("volumePath")],
      ["FSType", text("fsType")],
      ["StoragePolicyName", text("storagePolicyName")],
    ],
  },
  cinder: {
    type: "Cinder (a Persistent Disk resource in OpenStack)",
    fields: [
      ["VolumeID", text("volumeID")],
      ["FSType", text("fsType")],
      ["ReadOnly", flag("readOnly")],
      ["SecretRef", reference("secretRef")],
    ],
  },
  flexVolume: {
    type: "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
    fields: [
      ["Driver", text("driver")],
      ["FSType", text("fsType")],
      ["SecretRef", reference("secretRef")],
      ["ReadOnly", flag("readOnly")],
      ["Options", ({ options }) => goValue(options ?? {})],
    ],
  },
  flocker: {
    type: "Flocker (a Flocker volume mounted by the Flocker agent)",
    fields: [
      ["DatasetName", text("datasetName")],
      ["DatasetUUID", text("datasetUUID")],
    ],
  },
  photonPersistentDisk: {
    type: "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
    fields: [
      ["PdID", text("pdID")],
      ["FSType", text("fsType")],
    ],
  },
  portworxVolume: {
    type: "PortworxVolume (a Portworx Volume resource)",
    fields: [["VolumeID", text("volumeID")]],
  },
  quobyte: {
    type: "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
    fields: [
      ["Registry", text("registry")],
      ["Volume", text("volume")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  storageos: {
    type: "StorageOS (a StorageOS Persistent Disk resource)",
    fields: [
      ["VolumeName", text("volumeName")],
      ["VolumeNamespace", text("volumeNamespace")],
      ["FSType", text("fsType")],
      ["ReadOnly", flag("readOnly")],
    ],
  },
  image: {
    type: "Image (a container image or OCI artifact)",
    fields: [
      ["Reference", text("reference")],
      ["PullPolicy", text("pullPolicy")],
    ],
  },
};

/** The volumes of a Pod. */
export function describeVolumes(
  to: Description,
  volumes: readonly Volume[] = [],
  indent = "",
): void {
  if (volumes.length === 0) {
    to.field(0, `${indent}Volumes`, "<none>");
    return;
  }
  to.write(0, `${indent}Volumes:\n`);
  for (const volume of volumes) {
    to.write(1, `${indent === "" ? "" : " "}${volume.name}:\n`);
    describeSource(to, volume as unknown as Source);
  }
}

/** Where a volume, or a persistent one, comes from. */
export function describeSource(to: Description, holder: Source): void {
  if (holder["projected"]) {
    describeProjected(to, holder["projected"] as Source);
    return;
  }
  if (holder["downwardAPI"]) {
    describeDownward(to, holder["downwardAPI"] as Source);
    return;
  }
  if (holder["csi"]) {
    describeCsi(to, holder["csi"] as Source);
    return;
  }
  const found = Object.keys(kinds).find((name) => holder[name] !== undefined);
  const kind = found === undefined ? undefined : kinds[found];
  if (!kind || found === undefined) {
    to.write(1, "<unknown>\n");
    return;
  }
  to.field(2, "Type", kind.type);
  for (const [title, value] of kind.fields) to.field(2, title, value(holder[found] as Source));
}

function describeProjected(to: Description, projected: Source): void {
  to.field(2, "Type", "Projected (a volume that contains injected data from multiple sources)");
  for (const source of (projected["sources"] ?? []) as Record<string, Source | undefined>[]) {
    const { secret, downwardAPI, configMap, serviceAccountToken } = source;
    if (secret) {
      to.field(2, "SecretName", secret["name"] ?? "");
      to.field(2, "Optional", secret["optional"] ?? false);
    } else if (downwardAPI) to.field(2, "DownwardAPI", true);
    else if (configMap) {
      to.field(2, "ConfigMapName", configMap["name"] ?? "");
      to.field(2, "Optional", configMap["optional"] ?? false);
    } else if (serviceAccountToken) {
      to.field(2, "TokenExpirationSeconds", serviceAccountToken["expirationSeconds"] ?? 0);
    }
  }
}

function describeDownward(to: Description, downward: Source): void {
  to.field(2, "Type", "DownwardAPI (a volume populated by information about the pod)");
  to.write(2, "Items:\n");
  for (const item of (downward["items"] ?? []) as {
    path: string;
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: { resource: string };
  }[]) {
    if (item.fieldRef) to.write(3, `${item.fieldRef.fieldPath} -> ${item.path}\n`);
    if (item.resourceFieldRef) to.write(3, `${item.resourceFieldRef.resource} -> ${item.path}\n`);
  }
}

function describeCsi(to: Description, csi: Source): void {
  to.field(2, "Type", "CSI (a Container Storage Interface (CSI) volume source)");
  to.field(2, "Driver", csi["driver"] ?? "");
  to.field(2, "FSType", csi["fsType"] ?? "");
  if (csi["volumeHandle"] !== undefined) to.field(2, "VolumeHandle", csi["volumeHandle"]);
  to.field(2, "ReadOnly", csi["readOnly"] ?? false);
  const attributes = Object.entries(
    (csi["volumeAttributes"] ?? {}) as Record<string, string>,
  ).sort();
  to.write(2, "VolumeAttributes:\t");
  if (attributes.length === 0) {
    to.write(0, "<none>\n");
    return;
  }
  for (const [i, [key, value]] of attributes.entries()) {
    if (i > 0) to.write(2, "    \t");
    to.write(2, `${key}=${value}\n`);
  }
}
