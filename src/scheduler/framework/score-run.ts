import type { NodeInfo } from "../cache/node-info.ts";
import type { Cycle } from "./cycle.ts";
import { PluginError } from "./filter-run.ts";
import { maxNodeScore, type NodeScorer } from "./plugin.ts";
import type { WeightedPlugin } from "./profile.ts";

/** The scores of one plugin, after normalization and before weighting. */
interface ScoreRow {
  readonly plugin: string;
  readonly weight: number;
  readonly scores: Float64Array;
}

/** The score of each plugin for each feasible node. */
export interface ScoreTable {
  readonly nodes: readonly NodeInfo[];
  readonly rows: ScoreRow[];
  /** Weighted sums. */
  readonly totals: Float64Array;
}

/**
 * PreScore and Score, one plugin after another; yields after each so that the caller can yield to the event loop.
 *
 * Upstream: pkg/scheduler/framework/runtime/framework.go.
 */
export function* scoreNodes(
  plugins: readonly WeightedPlugin[],
  cycle: Cycle,
  nodes: readonly NodeInfo[],
): Generator<void, ScoreTable> {
  const table: ScoreTable = { nodes, rows: [], totals: new Float64Array(nodes.length) };
  for (const { plugin, weight } of plugins) {
    try {
      const scorer = plugin.score?.(cycle, nodes);
      if (scorer) addRow(table, { plugin: plugin.name, weight, scores: scoreAll(scorer, nodes) });
    } catch (error) {
      throw new PluginError(`running Score plugins: plugin "${plugin.name}" failed with`, error);
    }
    yield;
  }
  return table;
}

/** Adds the scores of a plugin or extender to the table and the totals. */
export function addRow(table: ScoreTable, row: ScoreRow): void {
  table.rows.push(row);
  const { totals } = table;
  for (let i = 0; i < totals.length; i++) {
    totals[i] = (totals[i] ?? 0) + (row.scores[i] ?? 0) * row.weight;
  }
}

function scoreAll(scorer: NodeScorer, nodes: readonly NodeInfo[]): Float64Array {
  const scores = new Float64Array(nodes.length);
  let i = 0;
  for (const node of nodes) scores[i++] = scorer.score(node);
  scorer.normalize?.(scores, nodes);
  for (const score of scores) {
    if (score < 0 || score > maxNodeScore) {
      throw new RangeError(
        `returns an invalid score ${score}, it should in the range of [0, ${maxNodeScore}] after normalizing`,
      );
    }
  }
  return scores;
}
