/** Upstream: pkg/controller/volume/ephemeral/controller.go. */
import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
  type Volume,
} from "#/api/core/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { claimedVolume, foreignClaimProblem } from "#/machinery/volumes/volume-claims.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { podsOfClaim } from "../pods/pod-indexes.ts";

type Context = ControllerContext<ManagerOptions>;

const isBeingDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const hasEphemeral = ({ spec }: Pod): boolean =>
  (spec?.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);

/** Creates claims for ephemeral volumes of Pods; they are deleted with the Pods. */
export const ephemeralVolumeController = controller<Pod, ManagerOptions>({
  name: "ephemeral-volume-controller",
  eventSource: "ephemeral_volume",
  for: pods,
  queue: "ephemeral_volume",
  workers: ({ flags }) => flags["concurrent-ephemeralvolume-syncs"],
  predicate: (now, old) => now !== undefined && old === undefined && hasEphemeral(now),
  watches: [watch(persistentVolumeClaims, podsOf, { predicate: (now) => now === undefined })],
  async reconcile(pod, context) {
    if (isBeingDeleted(pod)) return;
    for (const volume of pod.spec.volumes ?? []) {
      try {
        await ensureClaim(pod, volume, context);
      } catch (error) {
        const message = `ephemeral volume ${volume.name}: ${(error as Error).message}`;
        context.recorder.event(pod, "Warning", "FailedBinding", message);
        throw error;
      }
    }
  },
});

function podsOf({ metadata }: PersistentVolumeClaim, { informers }: Context): string[] {
  return podsOfClaim(`${metadata.namespace}/${metadata.name}`, informers)
    .filter((pod) => !isBeingDeleted(pod) && hasEphemeral(pod))
    .map(keyOf);
}

async function ensureClaim(pod: Pod, volume: Volume, { client, informers }: Context) {
  const template = volume.ephemeral?.volumeClaimTemplate;
  const name = claimedVolume(pod, volume)?.claimName ?? "";
  if (!template) return;
  const { namespace = "" } = pod.metadata;
  const there = informers.informer(persistentVolumeClaims).store.get(namespace, name);
  if (there) {
    const problem = foreignClaimProblem(pod, there);
    if (problem !== undefined) throw new Error(problem);
    return;
  }
  const { annotations, labels } = template.metadata ?? {};
  const metadata = {
    name,
    namespace,
    ownerReferences: [controllerReference(pod, pods)],
    ...(annotations ? { annotations } : {}),
    ...(labels ? { labels } : {}),
  };
  try {
    await client.create(persistentVolumeClaims, { metadata, spec: template.spec });
  } catch (error) {
    throw new Error(`create PVC ${name}: ${(error as Error).message}`, { cause: error });
  }
}
