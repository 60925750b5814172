/** Upstream: pkg/controller/deployment/util/deployment_util.go. */
import type { Deployment, ReplicaSet } from "#/api/apps/v1.ts";
import type { PodTemplateSpec } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { parseInt64 } from "#/machinery/values/int64.ts";
import { byAge, desiredReplicas, maxSurge } from "./sizes.ts";

/** Annotations of a Deployment and its ReplicaSets. */
export const annotations = {
  revision: "deployment.kubernetes.io/revision",
  revisionHistory: "deployment.kubernetes.io/revision-history",
  desiredReplicas: "deployment.kubernetes.io/desired-replicas",
  maxReplicas: "deployment.kubernetes.io/max-replicas",
  rollbackTo: "deprecated.deployment.rollback.to",
} as const;

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  annotations.revision,
  annotations.revisionHistory,
  annotations.desiredReplicas,
  annotations.maxReplicas,
  annotations.rollbackTo,
]);

/** The label that distinguishes the Pods of different ReplicaSets. */
export const hashLabel = "pod-template-hash";

/** Limit of the list of earlier revisions (characters). */
const maxHistoryLength = 2000;

/** The number in an annotation; undefined if it has none. */
export function numberAnnotation({ metadata }: ReplicaSet, name: string): number | undefined {
  const text = metadata.annotations?.[name];
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value < 2 ** 31 ? value : undefined;
}

/**
 * The revision of a ReplicaSet, of up to 64 bits: 0 if it has none; undefined if it is no number.
 */
export function revisionOf({ metadata }: { metadata: ReplicaSet["metadata"] }): bigint | undefined {
  const text = metadata.annotations?.[annotations.revision];
  if (text === undefined) return 0n;
  return parseInt64(text);
}

const inOrder = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The revisions of sets, the latest first. */
const revisionsOf = (sets: readonly ReplicaSet[]): bigint[] =>
  sets.map((set) => revisionOf(set) ?? 0n).sort((a, b) => inOrder(b, a));

export const maxRevision = (sets: readonly ReplicaSet[]): bigint => revisionsOf(sets)[0] ?? 0n;

/** The revision before the latest; 0 if there is none. */
export const lastRevision = (sets: readonly ReplicaSet[]): bigint => revisionsOf(sets)[1] ?? 0n;

/** Earlier revisions first. */
export const byRevision = (a: ReplicaSet, b: ReplicaSet): number =>
  inOrder(revisionOf(a) ?? 0n, revisionOf(b) ?? 0n) || byAge(a, b);

/** Whether two templates are equal except for the hash label. */
export function isSameTemplate(
  a: PodTemplateSpec | undefined,
  b: PodTemplateSpec | undefined,
): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

/** A template without the hash label. */
export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { labels, ...metadata } = template?.metadata ?? {};
  const { [hashLabel]: _, ...rest } = labels ?? {};
  const kept = Object.keys(rest).length > 0 ? { labels: rest } : {};
  return { ...template, metadata: { ...metadata, ...kept } } as PodTemplateSpec;
}

/**
 * The ReplicaSet with the Deployment's template, the oldest if there are several; and all others.
 */
export function splitSets(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): { readonly newSet: ReplicaSet | undefined; readonly oldSets: readonly ReplicaSet[] } {
  const template = deployment.spec?.template;
  const newSet = [...sets].sort(byAge).find((set) => isSameTemplate(set.spec?.template, template));
  return { newSet, oldSets: sets.filter((set) => set !== newSet) };
}

/** The annotations of the newest ReplicaSet; an existing one keeps its size annotations. */
export function newSetAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  revision: bigint,
): Record<string, string> {
  const now = { ...set?.metadata.annotations };
  for (const [name, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!ownAnnotations.has(name)) now[name] = value;
  }
  const old = set ? revisionOf(set) : 0n;
  if (old !== undefined && old < revision) {
    now[annotations.revision] = String(revision);
    const before = set?.metadata.annotations?.[annotations.revision];
    if (before !== undefined) {
      now[annotations.revisionHistory] = extended(now[annotations.revisionHistory], before);
    }
  }
  return set ? now : { ...now, ...sizeAnnotations(deployment) };
}

/** A list of revisions with one more, shortened at the front if it is too long. */
function extended(history: string | undefined, revision: string): string {
  let all = history ? [...history.split(","), revision] : [revision];
  while (all.join(",").length > maxHistoryLength && all.length > 1) all = all.slice(1);
  return all.join(",");
}

/** The size annotations of a ReplicaSet, which show later whether the Deployment was scaled. */
export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const desired = desiredReplicas(deployment);
  return {
    [annotations.desiredReplicas]: String(desired),
    [annotations.maxReplicas]: String(desired + maxSurge(deployment)),
  };
}

/**
 * The annotations of a Deployment after a rollback to a ReplicaSet: those that the ReplicaSet
 * copied from it.
 */
export function rolledBackAnnotations(
  deployment: Deployment,
  set: ReplicaSet,
): Record<string, string> {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([name]) => ownAnnotations.has(name) && name !== annotations.rollbackTo,
  );
  const theirs = Object.entries(set.metadata.annotations ?? {}).filter(
    ([name]) => !ownAnnotations.has(name),
  );
  return Object.fromEntries([...own, ...theirs]);
}
