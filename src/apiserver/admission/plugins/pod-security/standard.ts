import type { PodSpec } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { memoByKey } from "#/std/memory/memo.ts";
import { baselineChecks } from "./baseline-checks.ts";
import type { Check, CheckPod, Violation } from "./check.ts";
import { restrictedChecks } from "./restricted-checks.ts";

export type Level = "privileged" | "baseline" | "restricted";

/** A level of the Pod Security Standards as of a minor version; Infinity for the latest. */
export interface Standard {
  readonly level: Level;
  readonly minor: number;
}

/** The newest version in which a check changed: later ones are the same. */
const newest = Math.max(
  ...[...baselineChecks, ...restrictedChecks].flatMap(({ versions }) =>
    versions.map(({ since }) => since),
  ),
);

/** The violations of a standard by a pod; empty if it meets it. */
export function violationsOf(
  { level, minor }: Standard,
  metadata: ObjectMeta,
  spec: PodSpec,
): Violation[] {
  if (level === "privileged") return [];
  return checksOf[level](Math.min(minor, newest)).flatMap((check) => check(spec, metadata) ?? []);
}

/** Limit of versions with cached checks (count): there are fewer than that. */
const keptVersions = 100;

const checksOf = {
  baseline: memoByKey((minor: number) => checksFrom([], minor), keptVersions),
  restricted: memoByKey((minor: number) => checksFrom(restrictedChecks, minor), keptVersions),
};

/** The baseline's checks except overridden ones, and the restricted checks. */
function checksFrom(others: readonly Check[], minor: number): readonly CheckPod[] {
  const added = inForce(others, minor);
  const overridden = new Set(added.flatMap(({ overrides = [] }) => overrides));
  const baseline = inForce(baselineChecks, minor).filter(({ id }) => !overridden.has(id));
  return [...baseline, ...added].map(({ check }) => check);
}

function inForce(list: readonly Check[], minor: number) {
  return list.flatMap(({ id, versions }) => {
    const version = versions.findLast(({ since }) => since <= minor);
    return version ? [{ id, ...version }] : [];
  });
}

/** `restricted:latest`, `baseline:v1.25`. */
export const formatStandard = ({ level, minor }: Standard): string =>
  `${level}:${minor === Infinity ? "latest" : `v1.${minor}`}`;

/** All violations with details. */
export const formatDetails = (violations: readonly Violation[]): string =>
  violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");

/** All violations, in short. */
export const formatReasons = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

const strictness: Readonly<Record<Level, number>> = { privileged: 0, baseline: 1, restricted: 2 };

/** Whether a level is stricter than another. */
export const isStricter = (a: Level, b: Level): boolean => strictness[a] > strictness[b];
