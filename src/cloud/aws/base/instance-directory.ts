/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, instances.go, describe_instance_batch.go. */
import type { Node } from "#/api/core/v1.ts";
import { InstanceNotFoundError } from "#/cloud/base/provider.ts";
import { asError } from "#/std/base/as-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { AwsClient } from "../client/aws-client.ts";
import { AwsError } from "../client/aws-error.ts";
import { describeInstances, type Ec2Instance, type Filter } from "../client/ec2-operations.ts";
import { pagesOf } from "../client/pages.ts";
import type { AwsMetrics } from "./aws-metrics.ts";
import { Batcher } from "./batcher.ts";
import type { ClusterTags } from "./cluster-tags.ts";
import { parseProviderId } from "./instance-id.ts";

/** Instances of one DescribeInstances without ids; ids and this limit exclude each other. */
const pageSize = 1_000;

/** Limit of ids in one batch. */
const maxBatch = 500;

/** Limit of names in a filter; AWS' is 200. */
const maxNamesInFilter = 150;

const aliveStates = ["pending", "running", "shutting-down", "stopping", "stopped"];

const notFoundCode = "InvalidInstanceID.NotFound";

interface InstanceDirectoryOptions {
  readonly client: AwsClient;
  readonly clock: Clock;
  readonly metrics: AwsMetrics;
  /** Aborts calls that are batched, when the provider stops. */
  readonly signal: AbortSignal;
  /** The Node of this name in the informer's store; throws if the store is not filled. */
  findNode(name: string): Node | undefined;
}

/** All instances of the cluster at one time, by id. */
interface InstanceSnapshot {
  readonly takenAtMs: number;
  readonly instances: ReadonlyMap<string, Ec2Instance>;
}

/** Finds EC2's machines. */
export class InstanceDirectory {
  readonly #options: InstanceDirectoryOptions;
  readonly #batcher: Batcher<string, Ec2Instance | undefined>;
  #tags: ClusterTags | undefined;
  #snapshot: InstanceSnapshot | undefined;
  /** The last use of the snapshot: uses take turns, so that several share one call. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: InstanceDirectoryOptions) {
    this.#options = options;
    this.#batcher = new Batcher({
      clock: options.clock,
      maxItems: maxBatch,
      key: () => "",
      execute: (ids) => this.#describeBatch(ids),
    });
  }

  /** Restricts searches to the cluster's machines, once its tags are known. */
  restrictTo(tags: ClusterTags): void {
    this.#tags = tags;
  }

  /** All pages of DescribeInstances. */
  async describe(
    params: { readonly InstanceId?: readonly string[]; readonly Filter?: readonly Filter[] },
    signal: AbortSignal,
  ): Promise<readonly Ec2Instance[]> {
    const { client, metrics } = this.#options;
    const request = params.InstanceId?.length ? params : { ...params, MaxResults: pageSize };
    const found: Ec2Instance[] = [];
    try {
      await metrics.measure("describe_instance", async () => {
        for await (const page of pagesOf(client, instancePages, request, signal)) {
          for (const { instancesSet } of page.reservationSet) found.push(...instancesSet);
        }
      });
    } catch (error) {
      if (signal.aborted) throw error;
      const quoted = goQuote(asError(error).message);
      throw new Error(`error listing AWS instances: ${quoted}`, { cause: error });
    }
    return found;
  }

  /** The machine with an id, together with other lookups of the same time. Undefined if AWS does not list it. */
  findById(id: string): Promise<Ec2Instance | undefined> {
    return this.#batcher.add(id);
  }

  /** As findById(); rejects with InstanceNotFoundError if there is none. */
  async getById(id: string): Promise<Ec2Instance> {
    const found = await this.findById(id).catch((error: unknown) => {
      throw isInstanceNotFound(error) ? new InstanceNotFoundError() : error;
    });
    if (!found) throw new InstanceNotFoundError();
    return found;
  }

  async findByIds(ids: readonly string[]): Promise<ReadonlyMap<string, Ec2Instance>> {
    const found = await Promise.allSettled(ids.map((id) => this.findById(id)));
    const failures = found.filter((each) => each.status === "rejected");
    if (failures.length > 0) {
      const messages = failures.map(({ reason }) => asError(reason).message);
      throw new Error(messages.join("\n"), { cause: failures[0]?.reason });
    }
    const instances = found.flatMap(
      (each) => (each.status === "fulfilled" ? each.value : []) ?? [],
    );
    return new Map(instances.map((instance) => [instance.instanceId ?? "", instance]));
  }

  /** The cluster's machines that meet all conditions. */
  async findByFilters(
    filters: readonly Filter[],
    signal: AbortSignal,
  ): Promise<readonly Ec2Instance[]> {
    const found = await this.describe(filters.length ? { Filter: filters } : {}, signal);
    return found.filter(({ tagSet }) => this.#tags?.has(tagSet) ?? true);
  }

  /** The cluster's machines with these private DNS names. */
  async findByNodeNames(
    names: readonly string[],
    states: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Ec2Instance[]> {
    const found: Ec2Instance[] = [];
    for (let start = 0; start < names.length; start += maxNamesInFilter) {
      const filters = [
        { Name: "private-dns-name", Value: names.slice(start, start + maxNamesInFilter) },
        ...(states.length ? [{ Name: "instance-state-name", Value: states }] : []),
      ];
      found.push(...(await this.findByFilters(filters, signal)));
    }
    return found;
  }

  /** The machine of a Node name: by the id in the name or in the Node's provider id, else by its private DNS name. */
  async getByNodeName(name: string, signal: AbortSignal): Promise<Ec2Instance> {
    const id = this.#idOfNode(name);
    if (id !== undefined) return await this.getById(id);
    const [first, ...more] = await this.findByNodeNames([name], aliveStates, signal);
    if (more.length > 0) throw new Error(`multiple instances found for name: ${name}`);
    if (!first) throw new InstanceNotFoundError();
    return first;
  }

  /**
   * All machines of the cluster, from the last call if that is not older than maxAgeMs (0: of any age)
   * and has all of these ids.
   */
  async all(
    criteria: { readonly maxAgeMs: number; readonly ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<InstanceSnapshot> {
    const take = async (): Promise<InstanceSnapshot> => {
      const last = this.#snapshot;
      if (last && this.#meets(last, criteria)) return last;
      const takenAtMs = this.#options.clock.now();
      const found = await this.findByFilters([], signal);
      const instances = new Map(found.map((one) => [one.instanceId ?? "", one]));
      this.#snapshot = { takenAtMs, instances };
      return this.#snapshot;
    };
    const result = this.#turn.then(take);
    this.#turn = result.catch(() => undefined);
    return await result;
  }

  #meets(
    { takenAtMs, instances }: InstanceSnapshot,
    { maxAgeMs, ids }: { readonly maxAgeMs: number; readonly ids: readonly string[] },
  ): boolean {
    if (maxAgeMs > 0 && this.#options.clock.now() - takenAtMs > maxAgeMs) return false;
    return ids.every((id) => instances.has(id));
  }

  /** Undefined if neither the name nor a Node says it. */
  #idOfNode(name: string): string | undefined {
    if (name.startsWith("i-")) return name.split(".", 1)[0];
    try {
      const providerId = this.#options.findNode(name)?.spec?.providerID;
      return providerId ? parseProviderId(providerId) : undefined;
    } catch {
      // Not filled yet, or an id of another form: the private DNS name decides.
      return undefined;
    }
  }

  /** One call for all; each alone if that fails, because one unknown id refuses them all. */
  async #describeBatch(
    ids: readonly string[],
  ): Promise<readonly PromiseSettledResult<Ec2Instance | undefined>[]> {
    const { signal } = this.#options;
    try {
      const found = await this.describe({ InstanceId: ids }, signal);
      const byId = new Map(found.map((one) => [one.instanceId, one]));
      return ids.map((id) => ({ status: "fulfilled", value: byId.get(id) }));
    } catch (error) {
      if (signal.aborted) throw error;
      const one = async (id: string) => (await this.describe({ InstanceId: [id] }, signal))[0];
      return await Promise.allSettled(ids.map(one));
    }
  }
}

const instancePages = {
  operation: describeInstances,
  next: ({ nextToken }: { readonly nextToken: string | undefined }) => nextToken,
  continued: <P extends object>(params: P, NextToken: string) => ({ ...params, NextToken }),
};

/** Whether AWS has no instance with the id. */
export function isInstanceNotFound(error: unknown): boolean {
  return errorNames(error, notFoundCode);
}

/** Whether the id has a form that AWS never gives. */
export function isInvalidInstanceId(error: unknown): boolean {
  return errorNames(error, "InvalidID");
}

/** Errors that were wrapped name the code in their text. */
function errorNames(error: unknown, code: string): boolean {
  if (error instanceof AwsError) return error.code === code;
  return error instanceof Error && error.message.includes(code);
}
