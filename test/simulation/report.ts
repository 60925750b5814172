import type { Outcome } from "./simulate.ts";

/** What a person needs to look into a failure: the property, the last events, and how to see it again. */
export function formatFailure({ seed, failure }: Outcome): string {
  if (!failure) return "";
  return [
    `seed ${seed}, step ${failure.step}: ${failure.reason}`,
    "last events:",
    ...failure.last.map((line) => `  ${line}`),
    `again: node test/simulation/run.ts --seed ${seed} --verbose`,
    "",
  ].join("\n");
}
