import type { FileResult } from "./file-result.ts";

/** The results of all files, and the first results of those that passed only when they ran again. */
export interface Settled {
  readonly results: readonly FileResult[];
  readonly unsteady: readonly FileResult[];
}

/**
 * Runs the files that failed once more, one at a time with nothing beside them. Above the limit (files), none runs again:
 * that many do not fail by chance.
 */
export async function runAgain(
  results: readonly FileResult[],
  limit: number,
  run: (failed: FileResult) => Promise<FileResult>,
): Promise<Settled> {
  const failed = results.filter(hasFailures);
  if (failed.length > limit) return { results, unsteady: [] };
  const settled = new Map<FileResult, FileResult>();
  for (const first of failed) {
    const second = await run(first);
    if (!hasFailures(second)) settled.set(first, second);
  }
  return {
    results: results.map((result) => settled.get(result) ?? result),
    unsteady: [...settled.keys()],
  };
}

const hasFailures = ({ failures }: FileResult): boolean => failures.length > 0;
