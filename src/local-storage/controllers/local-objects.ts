import type { Resource } from "#/api/base/resource.ts";
import { nodes, persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { refOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  watch,
} from "#/controller/controller.ts";
import { ignoreNotFound, isNotFound } from "#/machinery/meta/status-error.ts";
import { providedLabel } from "../base/annotations.ts";
import {
  type LocalSnapshot,
  type LocalVolume,
  localFinalizer,
  localSnapshots,
  localVolumes,
} from "../base/custom-objects.ts";
import { removeFinalizer } from "./finalizers.ts";
import { volumeNameOf } from "./plan-volume.ts";

const workers = 50;

/** Lets go of objects whose content their node has removed, and removes those that nothing has claimed. */
function finisher<T extends LocalVolume | LocalSnapshot>(
  resource: Resource<T>,
  options: {
    readonly watches?: Parameters<typeof controller<T>>[0]["watches"];
    isUnclaimed(object: T, context: ControllerContext): boolean;
  },
): Controller<unknown> {
  return controller<T>({
    name: `${resource.singular}-finisher`,
    for: resource,
    workers,
    ...(options.watches && { watches: options.watches }),
    async reconcile(object, context) {
      const { client } = context;
      const { metadata, spec, status } = object;
      if (!metadata.deletionTimestamp) {
        if (options.isUnclaimed(object, context)) {
          await client.delete(resource, refOf(object)).catch(ignoreNotFound);
        }
        return;
      }
      // The content of a node that is gone is gone as well.
      if (status?.phase === "Deleted" || !(await nodeExists(client, spec.nodeName))) {
        await removeFinalizer(client, resource, object, localFinalizer);
      }
    },
  });
}

export const volumeFinisher = finisher(localVolumes, {
  watches: [
    watch(persistentVolumeClaims, (claim) => [volumeNameOf(claim)], {
      predicate: (now) => now === undefined,
    }),
  ],
  /** The claim was deleted before it had a volume. */
  isUnclaimed({ metadata, spec }, { informers }) {
    if (metadata.labels?.[providedLabel]) return false;
    if (informers.informer(persistentVolumes).store.get("", metadata.name ?? "")) return false;
    const claim = informers.informer(persistentVolumeClaims).store.getByKey(spec.claim);
    return claim === undefined || volumeNameOf(claim) !== metadata.name;
  },
});

export const snapshotFinisher = finisher(localSnapshots, {
  // A content that is retained may be deleted without its snapshot.
  isUnclaimed: () => false,
});

async function nodeExists(client: Client, name: string): Promise<boolean> {
  try {
    await client.get(nodes, { name });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
