import { type Pod, pods } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import type { AnyObject } from "../base/any-object.ts";
import type { Below } from "../base/kind-rules.ts";
import type { View } from "../base/view.ts";
import { containersOf, isWell, waitingReason } from "./containers.ts";

/** The Pods that an object controls. */
export function ownedPods(
  owner: AnyObject,
  selector: LabelSelector | undefined,
  view: View,
): readonly Pod[] {
  const { namespace, uid = "" } = owner.metadata;
  const labelSelector = formatLabelSelector(selector);
  const found = view.list(pods, { namespace, labelSelector }) ?? [];
  return found.filter((pod) => isControlledBy(pod, { metadata: { uid } }));
}

/** Limit of the Pods of one object that are looked into (count): each costs a request for its events. */
const maxPods = 6;

/** The Pods that may hold an object up: of each way of being unwell one, then more of the same. */
export function podsBelow(all: readonly Pod[]): readonly Below[] {
  const seen = new Set<string>();
  const ranked = all
    .map((pod) => {
      const key = signature(pod);
      const isNew = !seen.has(key);
      seen.add(key);
      return { pod, rank: (isWell(pod) ? 2 : 0) + (isNew ? 0 : 1) };
    })
    .sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, maxPods).map(({ pod }) => ({ resource: pods, object: pod }));
}

/** Pods with the same text are unwell in the same way. */
const signature = (pod: Pod): string =>
  JSON.stringify([
    pod.status?.phase,
    pod.status?.reason,
    pod.spec.nodeName !== undefined,
    pod.metadata.deletionTimestamp !== undefined,
    containersOf(pod).map((one) => [waitingReason(one), one.status?.ready]),
  ]);
