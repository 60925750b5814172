/** Upstream: pkg/controller/job/indexed_job_utils.go. */
import type { Job } from "#/api/batch/v1.ts";
import type { Pod } from "#/api/core/v1.ts";

/** Label and annotation of a Pod with its completion index. */
export const indexKey = "batch.kubernetes.io/job-completion-index";
/** Number of earlier failed Pods of the same index. */
export const failureCountKey = "batch.kubernetes.io/job-index-failure-count";
/** Number of those that the failure policy ignores. */
export const ignoredCountKey = "batch.kubernetes.io/job-index-ignored-failure-count";

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";

/** Parses "1,3-5,7" below the number of completions; invalid parts are skipped. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const [first, last = first] = part.split("-").map(wholeNumber);
    if (first === undefined || last === undefined) continue;
    for (let index = first; index <= last && index < completions; index++) indexes.add(index);
  }
  return indexes;
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Formats indexes in order, three or more in a row as a range. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((a, b) => a - b);
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] ?? 0;
    let end = at + 1;
    while (sorted[end] === first + end - at) end++;
    const last = first + end - at - 1;
    parts.push(last === first ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`);
    at = end;
  }
  return parts.join(",");
}

/** The index of a Pod; undefined if it has none below the number of completions. */
export function indexOf({ metadata }: Pod, completions: number): number | undefined {
  const index = wholeNumber(metadata.annotations?.[indexKey] ?? "");
  return index !== undefined && index < completions ? index : undefined;
}

/** The numbers of earlier failures of a Pod's index: counted, and ignored by the failure policy. */
export function failureCounts({ metadata }: Pod): { counted: number; ignored: number } {
  const { annotations = {} } = metadata;
  return {
    counted: wholeNumber(annotations[failureCountKey] ?? "") ?? 0,
    ignored: wholeNumber(annotations[ignoredCountKey] ?? "") ?? 0,
  };
}
