/** Upstream: pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go. */
import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import {
  type MountedVolume,
  pluginOfPersistentVolume,
  type VolumePlugin,
  type VolumeRequest,
  VolumeSetUpError,
} from "./volume-plugin.ts";

export interface ClaimedVolumeServices {
  readonly client: Client;
  /** The plugins of PersistentVolumes. */
  readonly plugins: readonly VolumePlugin[];
}

/** The claim of a volume. */
interface VolumeClaim {
  readonly name: string;
  /** Whether the claim has to be the Pod's own. */
  readonly ownedByPod: boolean;
  readonly readOnly: boolean;
}

/** Sets up the PersistentVolume that a claim is bound to. */
export async function setUpClaimed(
  request: VolumeRequest,
  volumeClaim: VolumeClaim,
  { client, plugins }: ClaimedVolumeServices,
): Promise<MountedVolume> {
  const claim = await boundClaim(request, volumeClaim, client);
  const name = claim.spec.volumeName ?? "";
  const persistentVolume = await client.get(persistentVolumes, { name });
  try {
    const plugin = pluginOfPersistentVolume(plugins, persistentVolume);
    if (!plugin?.setUpPersistent) throw new Error("no volume plugin matched");
    const { readOnly } = volumeClaim;
    const mounted = await plugin.setUpPersistent({ ...request, persistentVolume, readOnly });
    return { ...mounted, specName: name };
  } catch (error) {
    if (error instanceof VolumeSetUpError) throw error;
    const { message } = error as Error;
    throw new VolumeSetUpError(`MountVolume.SetUp failed for volume "${name}" : ${message}`, {
      cause: error,
    });
  }
}

async function boundClaim(
  { pod, volume }: VolumeRequest,
  { name, ownedByPod }: VolumeClaim,
  client: Client,
): Promise<PersistentVolumeClaim> {
  const namespace = pod.metadata.namespace ?? "";
  const fail = (why: string) =>
    new VolumeSetUpError(
      `Unable to attach or mount volumes: unmounted volumes=[${volume.name}], unattached volumes=[], failed to process volumes=[${volume.name}]: error processing PVC ${namespace}/${name}: ${why}`,
    );
  let claim: PersistentVolumeClaim;
  try {
    claim = await client.get(persistentVolumeClaims, { namespace, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw fail(`failed to fetch PVC from API server: ${(error as Error).message}`);
  }
  if (ownedByPod && !isOwner(claim, pod)) {
    throw fail(
      `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
    );
  }
  if (claim.metadata.deletionTimestamp !== undefined) throw fail("PVC is being deleted");
  if (claim.status?.phase !== "Bound" || !claim.spec.volumeName) throw fail("PVC is not bound");
  return claim;
}

function isOwner(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid,
  );
}
