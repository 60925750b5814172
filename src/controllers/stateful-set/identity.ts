/** Upstream: pkg/controller/statefulset/stateful_set_utils.go. */
import { type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from "#/api/core/v1.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { podFromTemplate } from "../pods/create-pod.ts";
import { revisionLabel } from "../revisions/revisions.ts";

const nameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";

/** The set's name and the ordinal in a Pod's name; undefined if the name has another form. */
export function identityOf({ metadata }: Pod): { parent: string; ordinal: number } | undefined {
  const [, parent, digits] = /^(.*)-([0-9]+)$/.exec(metadata.name ?? "") ?? [];
  const ordinal = Number(digits);
  return parent === undefined || !(ordinal < 2 ** 31) ? undefined : { parent, ordinal };
}

/** The ordinal of a Pod; -1 if it has none. */
export const ordinalOf = (pod: Pod): number => identityOf(pod)?.ordinal ?? -1;

/** The first ordinal of a set. */
export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;

/** Whether a Pod's ordinal is in the set's range. */
export function isInRange(pod: Pod, set: StatefulSet): boolean {
  const place = ordinalOf(pod) - startOf(set);
  return place >= 0 && place < replicasOf(set);
}

/** The claims of a Pod with this ordinal, by the name of their volume. */
export function claimsOf(
  { metadata, spec }: StatefulSet,
  ordinal: number,
): Map<string, PersistentVolumeClaim> {
  return new Map(
    (spec.volumeClaimTemplates ?? []).map((template) => {
      const claim = deepCopy(template);
      const { name = "" } = template.metadata;
      claim.metadata.name = `${name}-${metadata.name}-${ordinal}`;
      claim.metadata.namespace = metadata.namespace ?? "";
      claim.metadata.labels = { ...claim.metadata.labels, ...spec.selector?.matchLabels };
      return [name, claim];
    }),
  );
}

/** A Pod of a set, with this template and revision. */
export function podFor(
  set: StatefulSet,
  ordinal: number,
  template: PodTemplateSpec,
  revision: string,
): Pod {
  const pod = podFromTemplate(template, set, controllerReference(set, statefulSets));
  const name = `${set.metadata.name}-${ordinal}`;
  const { generateName: _, ...metadata } = pod.metadata;
  const { serviceName } = set.spec;
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata.labels, ...identityLabels(name, ordinal), [revisionLabel]: revision },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(serviceName ? { subdomain: serviceName } : {}),
      ...volumesFor(set, ordinal, pod.spec?.volumes),
    },
  } as Pod;
}

const identityLabels = (name: string, ordinal: number): Record<string, string> => ({
  [nameLabel]: name,
  [indexLabel]: `${ordinal}`,
});

/** The volumes of the claims, and the other volumes of a Pod. */
function volumesFor(
  set: StatefulSet,
  ordinal: number,
  volumes: readonly Volume[] | undefined,
): { volumes?: Volume[] } {
  const claims = claimsOf(set, ordinal);
  if (claims.size === 0) return volumes ? { volumes: [...volumes] } : {};
  const own = [...claims].map(([name, { metadata }]) => ({
    name,
    persistentVolumeClaim: { claimName: metadata.name ?? "" },
  }));
  return { volumes: [...own, ...(volumes ?? []).filter(({ name }) => !claims.has(name))] };
}

/** A Pod with corrected labels and volumes; undefined if they are correct. */
export function corrected(set: StatefulSet, pod: Pod): Pod | undefined {
  const { name = "" } = pod.metadata;
  const ordinal = ordinalOf(pod);
  const hasLabel = pod.metadata.labels?.[nameLabel] === name;
  const volumes = new Map(
    (pod.spec?.volumes ?? []).map((one) => [one.name, one.persistentVolumeClaim?.claimName]),
  );
  const hasVolumes = [...claimsOf(set, ordinal)].every(
    ([volume, { metadata }]) => volumes.get(volume) === metadata.name,
  );
  if (hasLabel && hasVolumes) return undefined;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...pod.metadata.labels, ...identityLabels(name, ordinal) },
    },
    spec: { ...pod.spec, ...volumesFor(set, ordinal, pod.spec?.volumes) },
  } as Pod;
}
