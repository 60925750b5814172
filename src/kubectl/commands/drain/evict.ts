/** Upstream: staging/src/k8s.io/kubectl/pkg/drain/drain.go. */
import { type Pod, pods } from "#/api/core/v1.ts";
import { isNotFound, isStatusError } from "#/machinery/meta/status-error.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import type { DryRun } from "../../printers/print-flags.ts";
import { say } from "./nodes.ts";
import { aggregate, isLongDeleted } from "./pods-to-evict.ts";

export interface Draining {
  readonly context: Context;
  readonly dryRun: DryRun;
  readonly gracePeriodSeconds: number;
  /** 0 for no timeout. */
  readonly timeoutMs: number;
  readonly skipDeletedSeconds: number;
}

const retryMs = 5000;
const pollMs = 1000;

function deleteOptions({ gracePeriodSeconds, dryRun }: Draining): Record<string, unknown> {
  return {
    ...(gracePeriodSeconds >= 0 ? { gracePeriodSeconds } : {}),
    ...(dryRun === "server" ? { dryRun: ["All"] } : {}),
  };
}

const nameOf = ({ metadata }: Pod): { name: string; namespace: string } => ({
  name: metadata?.name ?? "",
  namespace: metadata?.namespace ?? "",
});

/** Evicts Pods and waits until they are deleted; respects disruption budgets. */
export async function evictPods(draining: Draining, list: readonly Pod[]): Promise<void> {
  const end =
    draining.timeoutMs === 0 ? Infinity : draining.context.clock.monotonicMs() + draining.timeoutMs;
  const results = await Promise.allSettled(list.map((pod) => evictOne(draining, pod, end)));
  const errors = results.flatMap((result) =>
    result.status === "rejected" ? [messageOf(result.reason)] : [],
  );
  if (errors.length > 0) throw new CommandError(aggregate([...new Set(errors)]));
}

async function evictOne(draining: Draining, first: Pod, end: number): Promise<void> {
  const { context, dryRun, timeoutMs } = draining;
  const client = await context.cluster.client();
  const ref = nameOf(first);
  const { name, namespace } = ref;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: ref,
    deleteOptions: deleteOptions(draining),
  };
  let pod = first;
  for (;;) {
    const suffix = dryRun === "server" ? " (server dry run)" : "";
    context.out.write(`evicting pod ${namespace}/${name}${suffix}\n`);
    if (context.clock.monotonicMs() > end) {
      throw new CommandError(
        `error when evicting pods/${goQuote(name)} -n ${goQuote(namespace)}: global timeout reached: ${formatDuration(timeoutMs)}`,
      );
    }
    try {
      await client.createSubresource(pods, ref, "eviction", body);
      break;
    } catch (error) {
      if (isNotFound(error)) return;
      const isEnding =
        isStatusError(error, "Forbidden") &&
        /because it is being terminated/.test(messageOf(error));
      if (isEnding && pod.metadata?.deletionTimestamp !== undefined) break;
      const what = isEnding
        ? `pod ${goQuote(name)} from terminating namespace ${goQuote(namespace)}`
        : `pods/${goQuote(name)} -n ${goQuote(namespace)}`;
      if (!isEnding && !isStatusError(error, "TooManyRequests")) {
        throw new CommandError(`error when evicting ${what}: ${messageOf(error)}`, {
          cause: error,
        });
      }
      context.err.write(`error when evicting ${what} (will retry after 5s): ${messageOf(error)}\n`);
      await context.clock.sleep(retryMs, context.signal);
    }
    pod = await client.get(pods, ref).catch(() => pod);
  }
  if (dryRun === "server") return;
  try {
    await untilGone(draining, [pod], { verb: "evicted", failure: "eviction failed", end });
  } catch (error) {
    throw new CommandError(
      `error when waiting for pod ${goQuote(name)} in namespace ${goQuote(namespace)} to terminate: ${messageOf(error)}`,
    );
  }
}

/** Deletes Pods and waits until they are deleted. */
export async function deletePods(draining: Draining, list: readonly Pod[]): Promise<void> {
  const { context, dryRun, timeoutMs } = draining;
  const client = await context.cluster.client();
  for (const pod of list) {
    try {
      await client.request({
        method: "DELETE",
        path: `/api/v1/namespaces/${nameOf(pod).namespace}/pods/${nameOf(pod).name}`,
        body: deleteOptions(draining),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  if (dryRun === "server") return;
  const end = timeoutMs === 0 ? Infinity : context.clock.monotonicMs() + timeoutMs;
  await untilGone(draining, list, { verb: "deleted", failure: "deletion failed", end });
}

async function untilGone(
  { context, dryRun, skipDeletedSeconds }: Draining,
  list: readonly Pod[],
  { verb, failure, end }: { readonly verb: string; readonly failure: string; readonly end: number },
): Promise<void> {
  const client = await context.cluster.client();
  let pending = list;
  for (;;) {
    const left: Pod[] = [];
    for (const pod of pending) {
      try {
        const found = await client.get(pods, nameOf(pod));
        if (found.metadata?.uid !== pod.metadata?.uid) say(context, pod, verb, dryRun);
        else if (isLongDeleted(found, skipDeletedSeconds, context.clock.now())) {
          const shown = `pod ${goQuote(nameOf(pod).name)} has DeletionTimestamp older than ${skipDeletedSeconds} seconds`;
          context.out.write(`${shown}, skipping\n`);
        } else left.push(pod);
      } catch (error) {
        say(context, pod, isNotFound(error) ? verb : failure, dryRun);
        if (!isNotFound(error)) throw error;
      }
    }
    if (left.length === 0) return;
    pending = left;
    if (context.clock.monotonicMs() + pollMs > end)
      throw new CommandError("context deadline exceeded");
    await context.clock.sleep(pollMs, context.signal);
  }
}
