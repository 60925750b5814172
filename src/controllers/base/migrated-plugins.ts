/** Upstream: staging/src/k8s.io/csi-translation-lib/translate.go, staging/src/k8s.io/csi-translation-lib/plugins. */
import type { PersistentVolume, PersistentVolumeSpec } from "#/api/core/v1.ts";

interface MigratedPlugin {
  readonly name: string;
  /** The CSI driver that replaces the plugin. */
  readonly driver: string;
  /** The field of the plugin's volumes. */
  readonly source: keyof PersistentVolumeSpec;
}

const plugins: readonly MigratedPlugin[] = [
  { name: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com", source: "awsElasticBlockStore" },
  { name: "kubernetes.io/azure-disk", driver: "disk.csi.azure.com", source: "azureDisk" },
  { name: "kubernetes.io/azure-file", driver: "file.csi.azure.com", source: "azureFile" },
  { name: "kubernetes.io/cinder", driver: "cinder.csi.openstack.org", source: "cinder" },
  { name: "kubernetes.io/gce-pd", driver: "pd.csi.storage.gke.io", source: "gcePersistentDisk" },
  { name: "kubernetes.io/portworx-volume", driver: "pxd.portworx.com", source: "portworxVolume" },
  {
    name: "kubernetes.io/vsphere-volume",
    driver: "csi.vsphere.vmware.com",
    source: "vsphereVolume",
  },
];

/** The driver that replaces a plugin of this name. */
export const driverInsteadOf = (name: string): string | undefined =>
  plugins.find((plugin) => plugin.name === name)?.driver;

/** The in-tree plugin of a volume that a driver now serves. */
export const migratedPluginOf = ({ spec }: PersistentVolume): MigratedPlugin | undefined =>
  plugins.find(({ source }) => spec[source] !== undefined);
