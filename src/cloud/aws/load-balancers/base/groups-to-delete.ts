/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { type Annotations, lbAnnotations, readList } from "./annotations.ts";
import type { LbEnvironment } from "./environment.ts";
import type { SecurityGroup } from "./plan-groups.ts";

/** The groups of a load balancer that are deleted with it: the cluster's, unless annotations or the configuration name them. */
export function groupsToDelete(
  groups: readonly SecurityGroup[],
  lbGroupIds: readonly string[],
  { tags, config }: LbEnvironment,
  annotations: Annotations,
): string[] {
  const named = new Set([
    ...readList(annotations[lbAnnotations.securityGroups]),
    ...readList(annotations[lbAnnotations.extraSecurityGroups]),
    config.ElbSecurityGroup,
  ]);
  return groups
    .filter(({ groupId = "", tagSet }) => lbGroupIds.includes(groupId) && tags.has(tagSet))
    .map(({ groupId = "" }) => groupId)
    .filter((id) => id !== "" && !named.has(id));
}
