/** Upstream: cloud-provider-aws pkg/providers/v1/tags.go, create_tags_batch.go, delete_tags_batch.go. */
import type { AwsCloud } from "../base/aws-cloud.ts";
import { Batcher } from "../base/batcher.ts";
import { isInstanceNotFound } from "../base/instance-directory.ts";
import { createTags, deleteTags, type TagParam } from "../client/ec2-operations.ts";

/** Limit of machines in one call. */
const maxBatch = 50;

type Operation = typeof createTags;

interface Change {
  readonly instanceId: string;
  readonly tags: readonly TagParam[];
}

type Call = (change: Change, signal: AbortSignal) => Promise<void>;

/** Adds tags to machines and removes them, in batches if wanted. */
export class InstanceTagger {
  readonly #create: Call;
  readonly #delete: Call;

  constructor(cloud: AwsCloud, isBatching: boolean, stop: AbortSignal) {
    this.#create = callOf(cloud, createTags, "create_tags", isBatching, stop);
    this.#delete = callOf(cloud, deleteTags, "delete_tags", isBatching, stop);
  }

  async tag(instanceId: string, tags: Readonly<Record<string, string>>, signal: AbortSignal) {
    await this.#create({ instanceId, tags: tagParams(tags) }, signal);
  }

  /** A machine that is gone has no tags to remove. */
  async untag(instanceId: string, tags: Readonly<Record<string, string>>, signal: AbortSignal) {
    try {
      await this.#delete({ instanceId, tags: tagParams(tags) }, signal);
    } catch (error) {
      if (!isInstanceNotFound(error)) throw error;
    }
  }
}

function callOf(
  { client, clock, metrics }: AwsCloud,
  operation: Operation,
  metric: string,
  isBatching: boolean,
  stop: AbortSignal,
): Call {
  const send = async (ids: readonly string[], tags: readonly TagParam[], signal: AbortSignal) => {
    const params = { ResourceId: ids, Tag: tags };
    await metrics.measure(metric, () => client.call(operation, params, signal));
  };
  if (!isBatching) return ({ instanceId, tags }, signal) => send([instanceId], tags, signal);
  const batcher = new Batcher<Change, void>({
    clock,
    maxItems: maxBatch,
    key: ({ tags }) => JSON.stringify(tags),
    async execute(changes) {
      const tags = changes[0]?.tags ?? [];
      try {
        const ids = changes.map(({ instanceId }) => instanceId);
        await send(ids, tags, stop);
        return changes.map(() => ({ status: "fulfilled", value: undefined }));
      } catch (error) {
        if (stop.aborted) throw error;
        // One machine may be the reason: each alone.
        return await Promise.allSettled(
          changes.map(({ instanceId }) => send([instanceId], tags, stop)),
        );
      }
    },
  });
  return (change) => batcher.add(change);
}

const tagParams = (tags: Readonly<Record<string, string>>): readonly TagParam[] =>
  Object.entries(tags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([Key, Value]) => ({ Key, Value }));
