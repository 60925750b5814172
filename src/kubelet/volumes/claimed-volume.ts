/** Upstream: pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go. */
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import { claimProblem, type VolumeClaim } from "./claim-problem.ts";
import {
  type MountedVolume,
  pluginOfPersistentVolume,
  type VolumePlugin,
  type VolumeRequest,
  VolumeSetUpError,
} from "./volume-plugin.ts";

/** How often a claim is read until it is bound (ms), as upstream's. */
const pollMs = 300;
/** Limit of this wait (ms): then an Event says why the Pod waits, and the next wait begins. */
const bindingMs = 10_000;

export interface ClaimedVolumeServices {
  readonly client: Client;
  readonly clock: Clock;
  /** The plugins of PersistentVolumes. */
  readonly plugins: readonly VolumePlugin[];
}

/** Sets up the PersistentVolume that a claim is bound to. */
export async function setUpClaimed(
  request: VolumeRequest,
  volumeClaim: VolumeClaim,
  services: ClaimedVolumeServices,
): Promise<MountedVolume> {
  const { client, plugins } = services;
  const claim = await boundClaim(request, volumeClaim, services);
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

/** The claim, once it is bound. */
async function boundClaim(
  request: VolumeRequest,
  volumeClaim: VolumeClaim,
  { client, clock }: Pick<ClaimedVolumeServices, "client" | "clock">,
): Promise<PersistentVolumeClaim> {
  const { pod, volume, signal } = request;
  const namespace = pod.metadata.namespace ?? "";
  const untilMs = clock.monotonicMs() + bindingMs;
  for (;;) {
    const claim = await findClaim(client, namespace, volumeClaim.name);
    const problem = claimProblem(claim, volumeClaim, pod);
    if (claim && !problem) return claim;
    const isLate = clock.monotonicMs() >= untilMs;
    if (problem?.lasts || isLate) {
      throw new VolumeSetUpError(
        `Unable to attach or mount volumes: unmounted volumes=[${volume.name}], unattached volumes=[], failed to process volumes=[${volume.name}]: error processing PVC ${namespace}/${volumeClaim.name}: ${problem?.message}`,
        problem?.lasts ? {} : { retryAfterMs: pollMs },
      );
    }
    await clock.sleep(pollMs, signal);
  }
}

async function findClaim(
  client: Client,
  namespace: string,
  name: string,
): Promise<PersistentVolumeClaim | undefined> {
  try {
    return await client.get(persistentVolumeClaims, { namespace, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}
