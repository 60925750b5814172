/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */
import type { Node } from "#/api/core/v1.ts";
import type { AwsCloud } from "../../base/aws-cloud.ts";
import { parseProviderId } from "../../base/instance-id.ts";
import type { Ec2Instance } from "../../client/ec2-operations.ts";
import { type Annotations, lbAnnotations, readPairs } from "./annotations.ts";

/** Age (ms) from which a list of all instances is not used, as in upstream. */
const maxAgeMs = 600_000;

/** The instances of nodes by their ids; nodes without one are left out. */
export async function findInstances(
  { instances, log }: AwsCloud,
  nodes: readonly Node[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Ec2Instance>> {
  const ids = nodes.flatMap(({ metadata, spec }) => {
    try {
      return [parseProviderId(spec?.providerID ?? "")];
    } catch {
      log.warning("ignore node without instance", { node: metadata?.name });
      return [];
    }
  });
  const all = (await instances.all({ maxAgeMs, ids }, signal)).instances;
  return new Map(
    ids.toSorted().flatMap((id) => {
      const instance = all.get(id);
      return instance ? [[id, instance] as const] : [];
    }),
  );
}

/** The nodes that the annotation target-node-labels selects; all without it. */
export function selectNodes(nodes: readonly Node[], annotations: Annotations): readonly Node[] {
  const wanted = Object.entries(readPairs(annotations, lbAnnotations.targetNodeLabels));
  if (wanted.length === 0) return nodes;
  return nodes.filter(({ metadata }) => {
    const labels = metadata?.labels ?? {};
    return wanted.every(
      ([key, value]) => Object.hasOwn(labels, key) && (value === "" || labels[key] === value),
    );
  });
}
