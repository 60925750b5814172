/** Upstream: pkg/controller/ttl/ttl_controller.go. */

/**
 * TTL by the number of nodes. The ranges overlap, so that a small change of the number does not
 * change the TTL repeatedly.
 */
export const steps = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Infinity, seconds: 300 },
];

/** The step for a number of nodes, starting from another step. */
export function nextStep(from: number, count: number): number {
  let step = from;
  while (count > (steps[step]?.max ?? Infinity)) step++;
  while (count < (steps[step]?.min ?? 0)) step--;
  return step;
}
