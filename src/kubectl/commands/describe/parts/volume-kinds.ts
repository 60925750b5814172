/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (print…VolumeSource). */
import { goValue } from "#/machinery/patch/values/go-value.ts";

/** The source of a volume. */
export type Source = Readonly<Record<string, unknown>>;

type Fields = readonly (readonly [label: string, value: (source: Source) => unknown])[];

/** The name of a type of volume, and its fields in the output. */
interface VolumeKind {
  readonly type: string;
  readonly fields: Fields;
  /** The fields of a persistent volume, if they differ. */
  readonly persistentFields?: Fields;
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
const secret = (source: Source): unknown => {
  const found = source["secretRef"] as { name?: string; namespace?: string } | undefined;
  return found
    ? `&SecretReference{Name:${found.name ?? ""},Namespace:${found.namespace ?? ""},}`
    : "nil";
};
const list =
  (field: string) =>
  (source: Source): unknown =>
    `[${((source[field] ?? []) as unknown[]).join(" ")}]`;

const first = (source: Source, field: "name" | "namespace"): unknown =>
  (source["secretRef"] as Source | undefined)?.[field] ?? "";

/** The fields of a persistent volume whose secret may be in another namespace. */
const withSecret = (fields: Fields): Fields =>
  fields.map(([label, value]) => [label, label === "SecretRef:" ? secret : value]);

const scaleIo: Fields = [
  ["Gateway:", text("gateway")],
  ["System:", text("system")],
  ["Protection Domain:", text("protectionDomain")],
  ["Storage Pool:", text("storagePool")],
  ["Storage Mode:", text("storageMode")],
  ["VolumeName:", text("volumeName")],
];

/** The types of volumes, by their field. */
export const volumeKinds: Readonly<Record<string, VolumeKind>> = {
  hostPath: {
    type: "HostPath (bare host directory volume)",
    fields: [
      ["Path:", text("path")],
      ["HostPathType:", ({ type = "<none>" }) => type],
    ],
  },
  emptyDir: {
    type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    fields: [
      ["Medium:", text("medium")],
      ["SizeLimit:", ({ sizeLimit }) => (sizeLimit && sizeLimit !== "0" ? sizeLimit : "<unset>")],
    ],
  },
  secret: {
    type: "Secret (a volume populated by a Secret)",
    fields: [
      ["SecretName:", text("secretName")],
      ["Optional:", flag("optional")],
    ],
  },
  configMap: {
    type: "ConfigMap (a volume populated by a ConfigMap)",
    fields: [
      ["Name:", text("name")],
      ["Optional:", flag("optional")],
    ],
  },
  nfs: {
    type: "NFS (an NFS mount that lasts the lifetime of a pod)",
    fields: [
      ["Server:", text("server")],
      ["Path:", text("path")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  persistentVolumeClaim: {
    type: "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    fields: [
      ["ClaimName:", text("claimName")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  local: {
    type: "LocalVolume (a persistent volume backed by local storage on a node)",
    fields: [["Path:", text("path")]],
  },
  gcePersistentDisk: {
    type: "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
    fields: [
      ["PDName:", text("pdName")],
      ["FSType:", text("fsType")],
      ["Partition:", number("partition")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  awsElasticBlockStore: {
    type: "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
    fields: [
      ["VolumeID:", text("volumeID")],
      ["FSType:", text("fsType")],
      ["Partition:", number("partition")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  gitRepo: {
    type: "GitRepo (a volume that is pulled from git when the pod is created)",
    fields: [
      ["Repository:", text("repository")],
      ["Revision:", text("revision")],
    ],
  },
  rbd: {
    type: "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
    fields: [
      ["CephMonitors:", list("monitors")],
      ["RBDImage:", text("image")],
      ["FSType:", text("fsType")],
      ["RBDPool:", text("pool")],
      ["RadosUser:", text("user")],
      ["Keyring:", text("keyring")],
      ["SecretRef:", reference("secretRef")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  cephfs: {
    type: "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
    fields: [
      ["Monitors:", list("monitors")],
      ["Path:", text("path")],
      ["User:", text("user")],
      ["SecretFile:", text("secretFile")],
      ["SecretRef:", reference("secretRef")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  glusterfs: {
    type: "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
    fields: [
      ["EndpointsName:", text("endpoints")],
      ["Path:", text("path")],
      ["ReadOnly:", flag("readOnly")],
    ],
    persistentFields: [
      ["EndpointsName:", text("endpoints")],
      ["EndpointsNamespace:", ({ endpointsNamespace = "<unset>" }) => endpointsNamespace],
      ["Path:", text("path")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  fc: {
    type: "FC (a Fibre Channel disk)",
    fields: [
      ["TargetWWNs:", ({ targetWWNs }) => ((targetWWNs ?? []) as string[]).join(", ")],
      ["LUN:", ({ lun = "<none>" }) => lun],
      ["FSType:", text("fsType")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  azureFile: {
    type: "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
    fields: [
      ["SecretName:", text("secretName")],
      ["ShareName:", text("shareName")],
      ["ReadOnly:", flag("readOnly")],
    ],
    persistentFields: [
      ["SecretName:", text("secretName")],
      ["SecretNamespace:", text("secretNamespace")],
      ["ShareName:", text("shareName")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  azureDisk: {
    type: "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
    fields: [
      ["DiskName:", text("diskName")],
      ["DiskURI:", text("diskURI")],
      ["Kind: ", text("kind")],
      ["FSType:", text("fsType")],
      ["CachingMode:", text("cachingMode")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  vsphereVolume: {
    type: "vSphereVolume (a Persistent Disk resource in vSphere)",
    fields: [
      ["VolumePath:", text("volumePath")],
      ["FSType:", text("fsType")],
      ["StoragePolicyName:", text("storagePolicyName")],
    ],
  },
  cinder: {
    type: "Cinder (a Persistent Disk resource in OpenStack)",
    fields: [
      ["VolumeID:", text("volumeID")],
      ["FSType:", text("fsType")],
      ["ReadOnly:", flag("readOnly")],
      ["SecretRef:", reference("secretRef")],
    ],
  },
  flexVolume: {
    type: "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
    fields: [
      ["Driver:", text("driver")],
      ["FSType:", text("fsType")],
      ["SecretRef:", reference("secretRef")],
      ["ReadOnly:", flag("readOnly")],
      ["Options:", ({ options }) => goValue(options ?? {})],
    ],
  },
  flocker: {
    type: "Flocker (a Flocker volume mounted by the Flocker agent)",
    fields: [
      ["DatasetName:", text("datasetName")],
      ["DatasetUUID:", text("datasetUUID")],
    ],
  },
  photonPersistentDisk: {
    type: "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
    fields: [
      ["PdID:", text("pdID")],
      ["FSType:", text("fsType")],
    ],
  },
  portworxVolume: {
    type: "PortworxVolume (a Portworx Volume resource)",
    fields: [["VolumeID:", text("volumeID")]],
  },
  quobyte: {
    type: "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
    fields: [
      ["Registry:", text("registry")],
      ["Volume:", text("volume")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  storageos: {
    type: "StorageOS (a StorageOS Persistent Disk resource)",
    fields: [
      ["VolumeName:", text("volumeName")],
      ["VolumeNamespace:", text("volumeNamespace")],
      ["FSType:", text("fsType")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
  image: {
    type: "Image (a container image or OCI artifact)",
    fields: [
      ["Reference:", text("reference")],
      ["PullPolicy:", text("pullPolicy")],
    ],
  },
  iscsi: {
    type: "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    fields: [
      ["TargetPortal:", text("targetPortal")],
      ["IQN:", text("iqn")],
      ["Lun:", number("lun")],
      ["ISCSIInterface", text("iscsiInterface")],
      ["FSType:", text("fsType")],
      ["ReadOnly:", flag("readOnly")],
      ["Portals:", list("portals")],
      ["DiscoveryCHAPAuth:", flag("chapAuthDiscovery")],
      ["SessionCHAPAuth:", flag("chapAuthSession")],
      ["SecretRef:", reference("secretRef")],
      ["InitiatorName:", ({ initiatorName = "<none>" }) => initiatorName],
    ],
  },
  scaleIO: {
    type: "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
    fields: [...scaleIo, ["FSType:", text("fsType")], ["ReadOnly:", flag("readOnly")]],
    persistentFields: [
      ...scaleIo,
      ["SecretName:", (source) => first(source, "name")],
      ["SecretNamespace:", (source) => first(source, "namespace")],
      ["FSType:", text("fsType")],
      ["ReadOnly:", flag("readOnly")],
    ],
  },
};

/** The fields of a volume of a Pod, or of a persistent one. */
export function fieldsOf(kind: VolumeKind, isPersistent: boolean): Fields {
  return isPersistent ? withSecret(kind.persistentFields ?? kind.fields) : kind.fields;
}
