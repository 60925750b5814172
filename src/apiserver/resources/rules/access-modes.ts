import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "./field-report.ts";

/** The access modes of a volume. */
export const accessModes: readonly string[] = [
  "ReadOnlyMany",
  "ReadWriteMany",
  "ReadWriteOnce",
  "ReadWriteOncePod",
];

/** Checks that modes are known, and that ReadWriteOncePod is the only one if it is set. */
export function validateAccessModes(
  report: FieldReport,
  path: FieldPath,
  modes: readonly string[],
): void {
  for (const mode of modes) {
    if (!accessModes.includes(mode)) report.notSupported(path, "accessModes", mode, accessModes);
  }
  const known = modes.filter((mode) => accessModes.includes(mode));
  const alone = known.filter((mode) => mode === "ReadWriteOncePod");
  if (alone.length > 0 && alone.length < known.length) {
    const detail = "may not use ReadWriteOncePod with other access modes";
    report.forbidden(path, "accessModes", detail);
  }
}

/** Short names of access modes, in the order in which they are shown. */
const shortNames: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** Access modes as `kubectl get` shows them. Upstream: pkg/apis/core/helper/helpers.go. */
export function formatAccessModes(modes: readonly string[] = []): string {
  return shortNames
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The annotation that the storageClassName field replaced. */
export const storageClassAnnotation = "volume.beta.kubernetes.io/storage-class";
