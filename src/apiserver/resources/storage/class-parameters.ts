import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../rules/field-report.ts";

/** Rules that StorageClasses and VolumeAttributesClasses share. Upstream: pkg/apis/storage/validation/validation.go. */

const maxParameters = 512;
const maxBytes = 256 * 1024;

/** Checks the name of a provisioner; an empty name is checked by the caller. */
export function validateProvisioner(report: FieldReport, path: FieldPath, name: string): void {
  if (name !== "") {
    const lower = name.toLowerCase();
    report.problems(path, "", lower, isQualifiedName(lower));
  }
}

/** Checks the driver parameters of a class. */
export function validateParameters(
  report: FieldReport,
  path: FieldPath,
  parameters: Readonly<Record<string, string>> = {},
): void {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) {
    report.tooLong(path, "", maxParameters);
    return;
  }
  if (Object.hasOwn(parameters, "")) report.invalid(path, "", "", "field can not be empty.");
  if (isTooBig(entries)) report.tooLong(path, "", maxBytes);
}

/** Whether keys and values together exceed the limit (bytes). */
export function isTooBig(entries: readonly (readonly [string, string])[]): boolean {
  let bytes = 0;
  for (const [key, value] of entries) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  return bytes > maxBytes;
}
