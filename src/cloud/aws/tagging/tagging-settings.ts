/** Upstream: cloud-provider-aws pkg/controllers/options/tagging_controller.go, pkg/controllers/tagging. */
import { createHash } from "node:crypto";
import type { Node } from "#/api/core/v1.ts";
import type { FlagValues } from "#/std/flags/flags.ts";
import type { awsFlags } from "./flags.ts";

/** Label of Nodes whose machines have the tags; its value is the tags' checksum. */
export const taggedLabel = "k8s.io/cloud-provider-aws";

const supportedResources = ["instance"];

export type AwsFlags = FlagValues<typeof awsFlags>;

/** Undefined if the flags are complete, else what is wrong. */
export function validateTaggingFlags(flags: AwsFlags): string | undefined {
  if (Object.keys(flags.tags).length === 0) {
    return "--tags must not be empty and must be a form of key=value";
  }
  if (flags.resources.length === 0) return "--resources must not be empty";
  if (flags["tagging-controller-rate-limit"] < 0) {
    return "--tagging-controller-rate-limit should not be less than zero";
  }
  if (flags["tagging-controller-burst-limit"] < 0) {
    return "--tagging-controller-burst-limit should not be less than zero";
  }
  if (flags["tagging-controller-concurrent-node-syncs"] <= 0) {
    return "--tagging-controller-concurrent-node-syncs must be a positive number";
  }
  const unsupported = flags.resources.find((resource) => !supportedResources.includes(resource));
  return unsupported === undefined
    ? undefined
    : `${unsupported} is not a supported resource. Current supported resources [${supportedResources.join(" ")}]`;
}

/** MD5 of the sorted pairs: a name for the set of tags, not a protection. */
export function checksumOfTags(tags: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return createHash("md5").update(pairs.sort().join(",")).digest("hex");
}

/** Whether the machine of a Node lacks the tags, as far as its label says. */
export function needsTags(node: Node, checksum: string): boolean {
  return node.metadata.labels?.[taggedLabel] !== checksum;
}
