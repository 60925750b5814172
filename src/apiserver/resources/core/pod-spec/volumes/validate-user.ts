import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isUserID } from "#/machinery/meta/text-rules.ts";
import type { FieldReport } from "../../../rules/field-report.ts";

/** Checks the user that owns files. */
export function validateUser(
  report: FieldReport,
  path: FieldPath,
  field: string,
  user: number | undefined,
): void {
  if (user !== undefined) report.problems(path, field, user, isUserID(user));
}

/** Records the file paths of a volume, which must be unique. */
export type ClaimPath = (file: string, shown?: string) => void;
