import { type Pod, pods } from "#/api/core/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { claimedVolumes } from "#/machinery/volumes/volume-claims.ts";
import { controllerIndex } from "../base/selected-objects.ts";

/** Indexes of Pods: by controller uid, by claim, and by node. */
const podIndexes = {
  controller: controllerIndex,
  claim: (pod: Pod): string[] =>
    claimedVolumes(pod).map(({ claimName }) => `${pod.metadata.namespace}/${claimName}`),
  node: (pod: Pod): string[] => (pod.spec?.nodeName ? [pod.spec.nodeName] : []),
};

/** The informer of pods, with the indexes of this file. */
const podInformer = (informers: Informers): Informer<Pod> =>
  informers.informer(pods, { indexes: podIndexes });

/** The pods that an owner controls. */
export const podsControlledBy = (
  { metadata }: { readonly metadata: Pod["metadata"] },
  informers: Informers,
): readonly Pod[] => podInformer(informers).store.byIndex("controller", metadata.uid ?? "");

/** The pods that are bound to a node. */
export const podsOnNode = (node: string, informers: Informers): readonly Pod[] =>
  podInformer(informers).store.byIndex("node", node);

/** The pods that use a claim, by its key. */
export const podsOfClaim = (claim: string, informers: Informers): readonly Pod[] =>
  podInformer(informers).store.byIndex("claim", claim);
