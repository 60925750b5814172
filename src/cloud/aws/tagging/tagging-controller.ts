/** Upstream: cloud-provider-aws pkg/controllers/tagging. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { allSynced } from "#/controller/all-synced.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { WorkQueue } from "#/std/async/queue.ts";
import { asError } from "#/std/base/as-error.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { AwsCloud } from "../base/aws-cloud.ts";
import { isInstanceNotFound, isInvalidInstanceId } from "../base/instance-directory.ts";
import { isFargate, parseProviderId } from "../base/instance-id.ts";
import { InstanceTagger } from "./instance-tagger.ts";
import {
  type AwsFlags,
  checksumOfTags,
  needsTags,
  taggedLabel,
  validateTaggingFlags,
} from "./tagging-settings.ts";

/** The name in --controllers. */
const taggingControllerName = "tagging";

/** Limit of retries of a Node. */
const maxRetries = 9;

/** A machine that was created less than this time (ms) ago may not be visible to CreateTags yet. */
const newNodeMs = 5 * 60_000;

/** Tags or untags the machine of a Node. The Node may be gone, so the item has what is needed of it. */
interface Item {
  readonly name: string;
  readonly providerId: string;
  readonly action: "ADD" | "DELETE";
}

/** Keeps tags on the machines of Nodes, and removes them from those of deleted ones. */
export function taggingController(cloud: AwsCloud, flags: AwsFlags): Controller {
  return {
    name: taggingControllerName,
    async run(context) {
      const problem = validateTaggingFlags(flags);
      if (problem) throw new Error(`Tagging controller inputs are not properly set: ${problem}`);
      await new TaggingRun(cloud, flags, context).run();
    },
  };
}

class TaggingRun {
  readonly #flags: AwsFlags;
  readonly #context: ControllerContext;
  readonly #tagger: InstanceTagger;
  readonly #checksum: string;
  readonly #metrics: ReturnType<typeof taggingMetrics>;
  /** Keys are items as JSON: equal ones are processed once. */
  readonly #queue: WorkQueue<string>;
  readonly #isRateLimited: boolean;

  constructor(cloud: AwsCloud, flags: AwsFlags, context: ControllerContext) {
    this.#flags = flags;
    this.#context = context;
    const isBatching = flags["tagging-controller-enable-batching"];
    this.#tagger = new InstanceTagger(cloud, isBatching, context.signal);
    this.#checksum = checksumOfTags(flags.tags);
    this.#metrics = taggingMetrics(context.metrics);
    const qps = flags["tagging-controller-rate-limit"];
    const burst = flags["tagging-controller-burst-limit"];
    this.#isRateLimited = qps > 0 && burst > 0;
    const observer = context.observeQueue?.("tagging-controller");
    this.#queue = new WorkQueue<string>({
      clock: context.clock,
      ...(observer ? { observer } : {}),
      ...(this.#isRateLimited ? { rate: { qps, burst } } : {}),
    });
  }

  async run(): Promise<void> {
    const { informers, signal } = this.#context;
    const informer = informers.informer(nodes);
    if (!(await allSynced([informer], signal))) return;
    signal.addEventListener("abort", () => void this.#queue.shutdown(), { once: true });
    using _subscription = informer.subscribe({
      added: (node) => this.#enqueue(node, "ADD"),
      updated: (_, node) => {
        if (needsTags(node, this.#checksum)) this.#enqueue(node, "ADD");
      },
      deleted: (node) => this.#enqueue(node, "DELETE"),
    });
    const count = this.#flags["tagging-controller-concurrent-node-syncs"];
    await Promise.all(Array.from({ length: count }, () => this.#work()));
  }

  #enqueue(node: Node, action: Item["action"]): void {
    const { name = "" } = node.metadata;
    const item: Item = { name, providerId: node.spec?.providerID ?? "", action };
    if (this.#isRateLimited) this.#queue.addRateLimited(JSON.stringify(item));
    else this.#queue.add(JSON.stringify(item));
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      if (!this.#context.signal.aborted) await this.#process(key);
      this.#queue.done(key);
    }
  }

  async #process(key: string): Promise<void> {
    const { log, signal } = this.#context;
    const item = JSON.parse(key) as Item;
    let instanceId: string;
    try {
      instanceId = parseProviderId(item.providerId);
    } catch (error) {
      log.error(error, "failed to get instance ID for node", { node: item.name });
      return;
    }
    try {
      if (!isFargate(instanceId)) await this.#apply(item, instanceId);
      this.#queue.forget(key);
    } catch (error) {
      if (signal.aborted) return;
      this.#retry(key, item, instanceId, asError(error));
    }
  }

  #retry(key: string, item: Item, instanceId: string, error: Error): void {
    const { log } = this.#context;
    const fields = { node: item.name, action: item.action };
    if (this.#queue.retries(key) < maxRetries) {
      this.#queue.addRateLimited(key);
      this.#metrics.errors?.with({ error_type: "total_errors", instance_id: instanceId }).inc();
      log.error(error, "failed to process node, is retried", fields);
      return;
    }
    const exhausted = { error_type: "errors_after_retries_exhausted", instance_id: instanceId };
    this.#metrics.errors?.with(exhausted).inc();
    this.#queue.forget(key);
    log.error(error, "failed to process node, retries are exhausted", fields);
  }

  async #apply({ name, action }: Item, instanceId: string): Promise<void> {
    const { informers, log, signal } = this.#context;
    if (action === "ADD") {
      const node = informers.informer(nodes).store.get(undefined, name);
      if (node && needsTags(node, this.#checksum)) await this.#tag(node, instanceId);
      return;
    }
    try {
      await this.#tagger.untag(instanceId, this.#flags.tags, signal);
    } catch (error) {
      if (!isInvalidInstanceId(error)) throw error;
      log.info("skip untagging since instance ID is invalid", { node: name, instanceId });
    }
  }

  async #tag(node: Node, instanceId: string): Promise<void> {
    const { client, log, signal, clock } = this.#context;
    const { name = "", creationTimestamp = "", labels } = node.metadata;
    const ageMs = (): number => clock.now() - parseTime(creationTimestamp);
    try {
      await this.#tagger.tag(instanceId, this.#flags.tags, signal);
    } catch (error) {
      if (isInstanceNotFound(error) && ageMs() < newNodeMs) {
        throw new Error(
          `EC2 instance ${instanceId} for node ${name} does not exist, but node is within eventual consistency grace period`,
          { cause: error },
        );
      }
      if (!isInstanceNotFound(error) && !isInvalidInstanceId(error)) throw error;
      log.info("skip tagging since instance does not exist", { node: name, instanceId });
      return;
    }
    const patch = { metadata: { labels: { [taggedLabel]: this.#checksum } } };
    await client.patch(nodes, { name }, patch, { type: "strategic" });
    if (labels?.[taggedLabel] === undefined) this.#metrics.delay?.observe(ageMs() / 1000);
  }
}

/** Buckets (s) of the delay until a Node is tagged: 1 s to 17 min. */
const delayBuckets = [1, 4, 16, 64, 256, 1024];

function taggingMetrics(registry: Registry | undefined) {
  const stability = "ALPHA";
  return {
    errors: registry?.counter({
      name: "cloudprovider_aws_tagging_controller_work_item_errors_total",
      help: "any error in dequeueing the work queue and processing workItem",
      stability,
      labels: ["error_type", "instance_id"],
    }),
    delay: registry?.histogram({
      name: "tagging_controller_inital_node_tagging_delay_seconds",
      help: "Latency (in seconds) between node creation and its first successful tagging by TaggingController.",
      stability,
      buckets: delayBuckets,
    }),
  };
}
