import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../rules/field-report.ts";

type Counts = Readonly<Record<string, unknown>>;

/** Checks that some numbers of a status are not negative. */
export function validateCounts(
  report: FieldReport,
  path: FieldPath,
  status: object,
  fields: readonly string[],
): void {
  for (const field of fields) report.nonNegative(path, field, countOf(status, field));
}

/** Checks that counts of a status are not greater than another one, which messages call by its own name. */
export function validateAtMost(
  report: FieldReport,
  path: FieldPath,
  status: object,
  { fields, limit, limitName }: { fields: readonly string[]; limit: string; limitName: string },
): void {
  for (const field of fields) {
    const value = countOf(status, field) ?? 0;
    if (value <= (countOf(status, limit) ?? 0)) continue;
    report.invalid(path, field, value, `cannot be greater than ${limitName}`);
  }
}

/** Checks that the number of hash collisions does not decrease. */
export function validateCollisions(
  report: FieldReport,
  path: FieldPath,
  status: { readonly collisionCount?: number } = {},
  old: { readonly collisionCount?: number } = {},
): void {
  if (old.collisionCount === undefined) return;
  const { collisionCount = 0 } = status;
  if (status.collisionCount !== undefined && collisionCount >= old.collisionCount) return;
  report.invalid(path, "collisionCount", collisionCount, "cannot be decremented");
}

function countOf(status: object, field: string): number | undefined {
  const value = (status as Counts)[field];
  return typeof value === "number" ? value : undefined;
}
