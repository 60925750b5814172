import { type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import { subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";

/** Limit of the ordinals that are looked at (count): Pods are made in order. */
const maxOrdinals = 50;

/** A Pod that is not of a StatefulSet, but has the name of one of its Pods. */
export const podNameTaken = cause<StatefulSet>({
  name: "pod-name-taken",
  layer: "controllers",
  of: [statefulSets],
  find(set, view) {
    const { spec, status, metadata } = set;
    const replicas = spec?.replicas ?? 1;
    if ((status?.replicas ?? 0) >= replicas) return undefined;
    const first = spec?.ordinals?.start ?? 0;
    const wanted = new Set(
      Array.from(
        { length: Math.min(replicas, maxOrdinals) },
        (_, index) => `${metadata.name}-${first + index}`,
      ),
    );
    const other = (view.list(pods, { namespace: metadata.namespace }) ?? []).find(
      (pod) => wanted.has(pod.metadata.name ?? "") && !isControlledBy(pod, set),
    );
    if (!other) return undefined;
    return {
      about: subjectOf(pods, other),
      sentence: `it cannot create its Pod "${other.metadata.name}": there is a Pod of that name already, which belongs to something else`,
      fix: [`kubectl delete pod ${other.metadata.name}`],
    };
  },
});
