/** Upstream: cloud-provider-aws pkg/providers/v1/tags.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import type { Ec2Tag, Filter } from "../client/ec2-operations.ts";

/** Tag of a cluster's resources: this prefix and the cluster's id; its value is the lifecycle. */
const clusterTagPrefix = "kubernetes.io/cluster/";

/** Older tag of a cluster's resources; its value is the cluster's id. */
const legacyClusterTag = "KubernetesCluster";

/** Owned resources are deleted with what they serve; shared ones stay. */
type ResourceLifecycle = "owned" | "shared";

/** How a cluster's resources are distinguished from others of the account. */
export class ClusterTags {
  readonly clusterId: string;
  readonly usesLegacyTags: boolean;

  /** Throws if the two ids differ or both are empty. */
  constructor(legacyClusterId: string, clusterId: string) {
    if (legacyClusterId !== "" && clusterId !== "" && legacyClusterId !== clusterId) {
      const values = `${goQuote(clusterId)} vs ${goQuote(legacyClusterId)}`;
      throw new Error(`clusterID tags did not match: ${values}`);
    }
    this.usesLegacyTags = legacyClusterId !== "";
    this.clusterId = legacyClusterId || clusterId;
    if (this.clusterId === "") throw new Error("AWS cloud failed to find ClusterID");
  }

  /** From the tags of the machine that the program runs on. */
  static fromTags(tags: readonly Ec2Tag[]): ClusterTags {
    const ids = findClusterIds(tags);
    return new ClusterTags(ids.legacy, ids.current);
  }

  /** "kubernetes.io/cluster/ID". */
  get tagKey(): string {
    return clusterTagPrefix + this.clusterId;
  }

  has(tags: readonly Ec2Tag[]): boolean {
    return tags.some(({ key, value }) => this.#isLegacy(key, value) || key === this.tagKey);
  }

  isOwned(tags: readonly Ec2Tag[]): boolean {
    return tags.some(
      ({ key, value }) => this.#isLegacy(key, value) || (key === this.tagKey && value === "owned"),
    );
  }

  /** The tags of a new resource, in order of their keys. */
  build(
    lifecycle: ResourceLifecycle,
    additional: Readonly<Record<string, string>> = {},
  ): Record<string, string> {
    const tags = {
      ...additional,
      ...(this.usesLegacyTags ? { [legacyClusterTag]: this.clusterId } : {}),
      [this.tagKey]: lifecycle,
    };
    return Object.fromEntries(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Conditions that the cluster's resources meet. */
  get filter(): Filter {
    return { Name: "tag-key", Value: [this.tagKey] };
  }

  /** As filter, for resources with the older tag. */
  get legacyFilter(): Filter {
    return { Name: `tag:${legacyClusterTag}`, Value: [this.clusterId] };
  }

  #isLegacy(key: string | undefined, value: string | undefined): boolean {
    return key === legacyClusterTag && value === this.clusterId;
  }
}

function findClusterIds(tags: readonly Ec2Tag[]): { legacy: string; current: string } {
  const current = tags
    .map(({ key = "" }) => key)
    .filter((key) => key.startsWith(clusterTagPrefix))
    .map((key) => key.slice(clusterTagPrefix.length));
  const legacy = tags.filter(({ key }) => key === legacyClusterTag).map(({ value = "" }) => value);
  const quote = (ids: readonly string[]): string => ids.slice(0, 2).map(goQuote).join(" and ");
  if (current.length > 1) {
    throw new Error(
      `Found multiple cluster tags with prefix ${clusterTagPrefix} (${quote(current)})`,
    );
  }
  if (legacy.length > 1) {
    throw new Error(`Found multiple ${legacyClusterTag} tags (${quote(legacy)})`);
  }
  return { legacy: legacy[0] ?? "", current: current[0] ?? "" };
}

/** Whether a resource is tagged for no cluster at all. */
export function hasNoClusterTag(tags: readonly Ec2Tag[]): boolean {
  return !tags.some(({ key }) => key?.startsWith(clusterTagPrefix));
}
