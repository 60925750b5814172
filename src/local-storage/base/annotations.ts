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
