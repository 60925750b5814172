/** Upstream: cloud-provider-aws pkg/providers/v1/topology.go. */

import { re2 } from "#/std/go/re2.ts";
import type { Logger } from "#/std/log/log.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { AwsClient } from "../client/aws-client.ts";
import { AwsError } from "../client/aws-error.ts";
import { describeInstanceTopology } from "../client/ec2-operations.ts";
import { pagesOf } from "../client/pages.ts";

/** Types that are expected to have a topology: a Node of such a type waits until it is known. */
const defaultPattern = /^(hpc|trn|p)[0-9]+[a-z]*(-[a-z0-9]+)?(\.[0-9a-z]*)$/;

/** How long (ms) a region, type or machine without a topology is not asked about. */
const unsupportedMs = 24 * 3_600_000;

/** Limit of remembered regions, types and machines: there are under 1,000 types. */
const maxUnsupported = 10_000;

interface TopologyOptions {
  readonly client: AwsClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly region: string;
  /** SupportedTopologyInstanceTypePattern; empty for the default. */
  readonly pattern: string;
}

/** Where machines are in AWS' network. */
export class InstanceTopology {
  readonly #options: TopologyOptions;
  readonly #isExpected: (type: string) => boolean;
  /** Until when (ms since 1970). */
  readonly #unsupported = new LruMap<string, number>(maxUnsupported);

  constructor(options: TopologyOptions) {
    this.#options = options;
    this.#isExpected = options.pattern
      ? matcherOf(options.pattern)
      : (type) => defaultPattern.test(type);
  }

  /** The network nodes above a machine, from the top; none if AWS does not say. */
  async networkNodes(
    instanceId: string,
    instanceType: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { region, log } = this.#options;
    if (instanceType === "" || [region, instanceId, instanceType].some((key) => this.#lacks(key))) {
      return [];
    }
    try {
      return await this.#read(instanceId, instanceType, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const code = error instanceof AwsError ? error.code : "";
      if (code === "UnsupportedOperation" || code === "UnauthorizedOperation") {
        log.warning("failed to describe instance topology, region is skipped", { region, error });
        this.#add(region);
        return [];
      }
      if (this.#isExpected(instanceType)) throw error;
      log.warning("failed to get node topology, labels are not set", {
        instanceType,
        instanceId,
        error,
      });
      return [];
    }
  }

  async #read(instanceId: string, instanceType: string, signal: AbortSignal) {
    const params = { InstanceId: [instanceId] };
    for await (const page of pagesOf(this.#options.client, topologyPages, params, signal)) {
      const [first] = page.instanceSet;
      if (first) return first.networkNodeSet;
    }
    // A machine of an expected type may be about to stop; other types have none at all.
    this.#add(this.#isExpected(instanceType) ? instanceId : instanceType);
    return [];
  }

  #lacks(key: string): boolean {
    return (this.#unsupported.get(key) ?? 0) > this.#options.clock.now();
  }

  #add(key: string): void {
    this.#unsupported.set(key, this.#options.clock.now() + unsupportedMs);
  }
}

/** Throws if the pattern is malformed. */
function matcherOf(pattern: string): (text: string) => boolean {
  const compiled = re2().RE2JS.compile(pattern);
  return (text) => compiled.matcher(text).find();
}

const topologyPages = {
  operation: describeInstanceTopology,
  next: ({ nextToken }: { readonly nextToken: string | undefined }) => nextToken,
  continued: <P extends object>(params: P, NextToken: string) => ({ ...params, NextToken }),
};
