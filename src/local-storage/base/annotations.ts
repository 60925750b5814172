/** Upstream: github.com/kubernetes-csi/external-provisioner, sigs.k8s.io/sig-storage-lib-external-provisioner. */

/** On claims: the driver that provisions a volume for them. */
export const provisionerAnnotation = "volume.kubernetes.io/storage-provisioner";
/** On volumes: the driver that has provisioned them. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** On volumes: kept until their content is deleted. */
export const volumeFinalizer = "external-provisioner.volume.kubernetes.io/finalizer";
/** In the attributes of volumes: the program that has provisioned them. */
export const identityKey = "storage.kubernetes.io/csiProvisionerIdentity";
/** The value for volumes of these controllers, which leave those of others alone. */
export const ownIdentity = "k8ts";
/** On local volumes: a PersistentVolume has them, so that only its deletion deletes them. */
export const providedLabel = "local.csi.k8ts.dev/provided";

/** Upstream: github.com/kubernetes-csi/external-snapshotter/pkg/utils/util.go. */
const snapshotPrefix = "snapshot.storage.kubernetes.io";
/** On snapshots: kept until their content is deleted or released. */
export const boundSnapshotFinalizer = `${snapshotPrefix}/volumesnapshot-bound-protection`;
/** On snapshots: kept while claims are restored from them. */
export const sourceSnapshotFinalizer = `${snapshotPrefix}/volumesnapshot-as-source-protection`;
/** On contents: kept until the snapshot of the driver is deleted, if it has to be. */
export const contentFinalizer = `${snapshotPrefix}/volumesnapshotcontent-bound-protection`;
/** On claims: kept while a snapshot of them is being made. */
export const claimFinalizer = `${snapshotPrefix}/pvc-as-source-protection`;
/** On contents: their VolumeSnapshot is being deleted. */
export const beingDeleted = `${snapshotPrefix}/volumesnapshot-being-deleted`;
/** On classes: the default one of their driver. */
export const defaultClassAnnotation = `${snapshotPrefix}/is-default-class`;
