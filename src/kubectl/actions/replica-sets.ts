/** Upstream: staging/src/k8s.io/kubectl/pkg/util/deployment/deployment.go (FindNewReplicaSet). */
import { isDeepStrictEqual } from "node:util";
import type { Deployment, ReplicaSet } from "#/api/apps/v1.ts";
import type { PodTemplateSpec } from "#/api/core/v1.ts";

/** The label by which a Deployment identifies its ReplicaSets. */
export const templateHashLabel = "pod-template-hash";

/** The ReplicaSet that has the Deployment's template; the oldest if there are several. */
export function findNewReplicaSet(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): ReplicaSet | undefined {
  const wanted = withoutHash(deployment.spec?.template);
  return sets
    .toSorted((a, b) => compare(sortKey(a), sortKey(b)))
    .find(({ spec }) => isDeepStrictEqual(withoutHash(spec?.template), wanted));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const sortKey = ({ metadata }: ReplicaSet): string =>
  `${metadata?.creationTimestamp ?? ""}/${metadata?.name ?? ""}`;

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [templateHashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: __, ...metadata } = template?.metadata ?? {};
  return { metadata: { ...metadata, labels }, spec: template?.spec };
}
