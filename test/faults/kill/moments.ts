import { type Random, randomInt, seededRandom } from "#/std/base/random.ts";

export const programs = ["server", "agent", "containerd"] as const;
export type Program = (typeof programs)[number];

/** A fault at a moment of the load. */
export interface Moment {
  readonly index: number;
  /** Time of undisturbed load before it (ms). */
  readonly afterMs: number;
  readonly kill: readonly Program[];
  /** Time until the same programs are killed again, while they start (ms); undefined for once. */
  readonly againAfterMs: number | undefined;
  /** Time for which the disk is full (ms); undefined if it is not. The programs are killed in the middle of it. */
  readonly fullMs: number | undefined;
  /** Changes of the workloads that are under way at the moment. */
  readonly changes: readonly Change[];
}

/** A change of a workload: its new size, or a Pod of it deleted. */
export interface Change {
  readonly workload: "set" | "deployment";
  readonly replicas: number | undefined;
}

/** Limit of the replicas of a changing workload (count). */
const maxReplicas = 2;

/** The moments of a seed. The moment of an index is the same for every count. */
export function planMoments(seed: number, count: number): Moment[] {
  return Array.from({ length: count }, (_, index) => planMoment(seed, index));
}

export function planMoment(seed: number, index: number): Moment {
  const random = seededRandom(seed * 10_007 + index);
  // The first numbers of similar seeds are similar.
  for (let skipped = 0; skipped < 5; skipped++) random();
  const full = random() < 0.25;
  return {
    index,
    afterMs: randomInt(random, 1500),
    kill: planKill(random, full),
    againAfterMs: random() < 0.2 ? randomInt(random, 2000) : undefined,
    fullMs: full ? 300 + randomInt(random, 1500) : undefined,
    changes: Array.from({ length: randomInt(random, 3) }, () => planChange(random)),
  };
}

/** One program, or several at once; with a full disk also none. */
function planKill(random: Random, full: boolean): Program[] {
  const drawn = randomInt(random, full ? 10 : 8);
  if (drawn >= 8) return [];
  if (drawn === 7) return [...programs];
  if (drawn === 6) return ["server", "agent"];
  return [programs[drawn % programs.length] ?? "server"];
}

function planChange(random: Random): Change {
  const workload = random() < 0.5 ? "set" : "deployment";
  const replicas = random() < 0.7 ? randomInt(random, maxReplicas + 1) : undefined;
  return { workload, replicas };
}
