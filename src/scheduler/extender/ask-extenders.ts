import { logger } from "#/std/log/log.ts";
import type { NodeInfo } from "../cache/node-info.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Diagnosis } from "../framework/fit-error.ts";
import { maxNodeScore } from "../framework/plugin.ts";
import { reject, rejectForGood } from "../framework/rejection.ts";
import { addRow, type ScoreTable } from "../framework/score-run.ts";
import type { Extender } from "./extender.ts";

const log = logger("scheduler");

/** The plugin name under which rejections of extenders are reported. */
export const extenderName = "Extender";
/** Limit of an extender's score. */
const maxExtenderScore = 10;

/**
 * The nodes that every extender accepts; each filters the result of the one before.
 *
 * Upstream: pkg/scheduler/schedule_one.go.
 */
export async function filterByExtenders(
  extenders: readonly Extender[],
  { pod }: PodInfo,
  nodes: readonly NodeInfo[],
  diagnosis: Diagnosis,
): Promise<readonly NodeInfo[]> {
  let left = nodes;
  for (const extender of extenders) {
    if (left.length === 0) break;
    if (!extender.isInterested(pod)) continue;
    try {
      const { fitting, failed, failedForGood } = await extender.filter(pod, left);
      for (const [node, reason] of Object.entries(failed)) {
        diagnosis.rejections.set(node, reject("", reason));
      }
      for (const [node, reason] of Object.entries(failedForGood)) {
        diagnosis.rejections.set(node, rejectForGood("", reason));
      }
      left = fitting;
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      log.info("skipping extender as it failed and is ignorable", { extender: extender.url });
    }
  }
  if (left.length !== nodes.length) diagnosis.unschedulablePlugins.add(extenderName);
  return left;
}

/** Adds the scores of extenders; one that fails is skipped. */
export async function scoreByExtenders(
  extenders: readonly Extender[],
  { pod }: PodInfo,
  table: ScoreTable,
): Promise<void> {
  const asked = extenders.filter((one) => one.isPrioritizer && one.isInterested(pod));
  const answers = asked.map(async (extender) => {
    try {
      const scores = await extender.prioritize(pod, table.nodes);
      const scale = maxNodeScore / maxExtenderScore;
      addRow(table, {
        plugin: extender.url,
        weight: extender.weight,
        scores: Float64Array.from(table.nodes, ({ name }) => (scores.get(name) ?? 0) * scale),
      });
    } catch (error) {
      log.v(5, "failed to score nodes by extender", { extender: extender.url, error });
    }
  });
  await Promise.all(answers);
}
