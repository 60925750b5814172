/** Upstream: staging/src/k8s.io/kubectl/pkg/drain/filters.go. */
import { daemonSets } from "#/api/apps/v1.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { Errors, messageOf, PlainError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";

export interface EvictionRules {
  readonly force: boolean;
  readonly ignoreDaemonSets: boolean;
  readonly deleteEmptyDirData: boolean;
  readonly podSelector: string;
  /** Limit of Pods in a page (count). */
  readonly chunkSize: number;
  readonly skipDeletedSeconds: number;
}

type Verdict =
  | { readonly evict: true; readonly warning?: string }
  | { readonly evict: false; readonly warning?: string; readonly error?: string };

const fine: Verdict = { evict: true };

/** The Pods of a node to evict, with warnings about them. Throws if some may not be evicted. */
export async function podsToEvict(
  context: Context,
  node: string,
  rules: EvictionRules,
): Promise<{ readonly pods: readonly Pod[]; readonly warnings: string }> {
  const client = await context.cluster.client();
  const labelSelector = rules.podSelector;
  const fieldSelector = `spec.nodeName=${node}`;
  const limit = rules.chunkSize;
  const all = await client.listAll(pods, { fieldSelector, labelSelector, limit });
  const verdicts = await Promise.all(
    all.map(async (pod) => ({
      pod: { apiVersion: "v1", kind: "Pod", ...pod },
      verdict: await judge(context, pod, rules),
    })),
  );
  const grouped = (text: (verdict: Verdict) => string | undefined): string[] => {
    const names = Map.groupBy(
      verdicts.filter(({ verdict }) => text(verdict) !== undefined),
      ({ verdict }) => text(verdict) ?? "",
    );
    return [...names].map(
      ([message, list]) =>
        `${message}: ${list.map(({ pod }) => `${pod.metadata?.namespace}/${pod.metadata?.name}`).join(", ")}`,
    );
  };
  const errors = grouped((verdict) => ("error" in verdict ? verdict.error : undefined));
  if (errors.length > 0)
    throw new Errors(errors.map((error) => new PlainError(`cannot delete ${error}`)));
  return {
    pods: verdicts.flatMap(({ pod, verdict }) => (verdict.evict ? [pod] : [])),
    warnings: grouped(({ warning }) => warning).join("; "),
  };
}

/** Joins messages as upstream does. */
export function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}

/** Whether a Pod may be evicted; the warning of the last rule counts. */
async function judge(context: Context, pod: Pod, rules: EvictionRules): Promise<Verdict> {
  if (isLongDeleted(pod, rules.skipDeletedSeconds, context.clock.now())) return { evict: false };
  const isDone = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  const controller = pod.metadata?.ownerReferences?.find((owner) => owner.controller);
  if (controller?.kind === "DaemonSet" && controller.apiVersion === "apps/v1" && !isDone) {
    const verdict = await judgeDaemon(
      context,
      pod.metadata?.namespace ?? "",
      controller.name,
      rules,
    );
    if (!verdict.evict) return verdict;
  }
  if (pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined)
    return { evict: false };
  const isLocal = (pod.spec?.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined);
  if (isLocal && !isDone && !rules.deleteEmptyDirData) {
    return {
      evict: false,
      error: "Pods with local storage (use --delete-emptydir-data to override)",
    };
  }
  if (isDone || controller) return fine;
  if (rules.force) return { evict: true, warning: "deleting Pods that declare no controller" };
  return { evict: false, error: "Pods that declare no controller (use --force to override)" };
}

async function judgeDaemon(
  context: Context,
  namespace: string,
  name: string,
  { force, ignoreDaemonSets }: EvictionRules,
): Promise<Verdict> {
  try {
    await (await context.cluster.client()).get(daemonSets, { namespace, name });
  } catch (error) {
    if (isNotFound(error) && force) return { evict: true, warning: messageOf(error) };
    return { evict: false, error: messageOf(error) };
  }
  if (ignoreDaemonSets) return { evict: false, warning: "ignoring DaemonSet-managed Pods" };
  return { evict: false, error: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)" };
}

/** True if the deletion of a Pod started longer ago than the limit: it is skipped. */
export function isLongDeleted({ metadata }: Pod, seconds: number, now: number): boolean {
  if (seconds <= 0 || metadata?.deletionTimestamp === undefined) return false;
  return Math.trunc((now - parseTime(metadata.deletionTimestamp)) / 1000) > seconds;
}
