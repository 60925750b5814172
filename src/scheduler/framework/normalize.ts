import { maxNodeScore } from "./plugin.ts";

/**
 * Scales scores from 0…highest to 0…100, in place; reversed, the lowest becomes the best.
 *
 * Upstream: pkg/scheduler/framework/plugins/helper/normalize_score.go.
 */
export function normalizeScores(scores: Float64Array, reverse: boolean): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  if (highest === 0) {
    if (reverse) scores.fill(maxNodeScore);
    return;
  }
  for (let i = 0; i < scores.length; i++) {
    const score = Math.floor((maxNodeScore * (scores[i] ?? 0)) / highest);
    scores[i] = reverse ? maxNodeScore - score : score;
  }
}
