/** Upstream: pkg/controller/volume/persistentvolume/pv_controller.go (provisionClaim). */
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { type StorageClass, storageClasses } from "#/api/storage/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { isAlreadyExists, notFound } from "#/machinery/meta/status-error.ts";
import { withClaimRefTo } from "#/machinery/volumes/match-volume.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { hostPathPlugin, makeHostPath, provisionerOf, removeHostPath } from "./in-tree.ts";

type Context = ControllerContext<ManagerOptions>;

/** The finalizer of volumes that this controller deletes. */
export const deletionFinalizer = "kubernetes.io/pv-controller";
const provisionerAnnotation = "volume.kubernetes.io/storage-provisioner";
const betaProvisionerAnnotation = "volume.beta.kubernetes.io/storage-provisioner";

/** Provisions a volume for a claim: by a driver, which is selected by an annotation, or in-tree. */
export async function provision(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  context: Context,
): Promise<void> {
  const { recorder, options } = context;
  if (!options.flags["enable-dynamic-provisioning"]) return;
  const fail = (message: string) => recorder.event(claim, "Warning", "ProvisioningFailed", message);
  try {
    if (!storageClass) throw notFound(storageClasses, claimClass(claim));
    const provisioner = provisionerOf(storageClass);
    if (provisioner === "hostPath") return await provisionHostPath(claim, storageClass, context);
    await setProvisioner(claim, provisioner.external, context);
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner.external}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    recorder.event(claim, "Normal", "ExternalProvisioning", message);
  } catch (error) {
    fail((error as Error).message);
    throw error;
  }
}

async function setProvisioner(
  claim: PersistentVolumeClaim,
  name: string,
  { client }: Context,
): Promise<PersistentVolumeClaim> {
  const { annotations = {} } = claim.metadata;
  if (annotations[provisionerAnnotation] === name) return claim;
  const added = { [betaProvisionerAnnotation]: name, [provisionerAnnotation]: name };
  const metadata = { ...claim.metadata, annotations: { ...annotations, ...added } };
  return await client.update(persistentVolumeClaims, { ...claim, metadata });
}

async function provisionHostPath(
  given: PersistentVolumeClaim,
  storageClass: StorageClass,
  context: Context,
): Promise<void> {
  const { client, recorder, options } = context;
  const claim = await setProvisioner(given, hostPathPlugin, context);
  if (claim.spec.dataSource) {
    throw new Error(
      `plugin "${hostPathPlugin}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`,
    );
  }
  if ((storageClass.mountOptions ?? []).length > 0) {
    throw new Error(
      `Mount options are not supported by the provisioner but StorageClass "${storageClass.metadata.name}" has mount options [${storageClass.mountOptions?.join(" ")}]`,
    );
  }
  if (!options.flags["enable-hostpath-provisioner"]) {
    throw new Error(
      `Failed to create provisioner: provisioning in volume plugin "${hostPathPlugin}" is disabled`,
    );
  }
  const volume = withClaimRefTo(await makeHostPath(claim, storageClass), claim);
  const isDeleted = volume.spec.persistentVolumeReclaimPolicy === "Delete";
  const finalizers = isDeleted ? { finalizers: [deletionFinalizer] } : {};
  try {
    await client.create(persistentVolumes, {
      ...volume,
      metadata: { ...volume.metadata, ...finalizers },
    });
  } catch (error) {
    await removeHostPath(volume);
    if (isAlreadyExists(error)) return;
    throw error;
  }
  const message = `Successfully provisioned volume ${volume.metadata.name} using ${hostPathPlugin}`;
  recorder.event(claim, "Normal", "ProvisioningSucceeded", message);
}
