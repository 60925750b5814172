import type { Outcome } from "./simulate.ts";

/** The report of a failure: the property, the last events, and how to reproduce it. */
export function formatFailure({ seed, troubles, failure }: Outcome): string {
  if (!failure) return "";
  return [
    `seed ${seed}, step ${failure.step}: ${failure.reason}`,
    "last events:",
    ...failure.last.map((line) => `  ${line}`),
    `again: node test/simulation/run.ts --seed ${seed}${troubles ? " --troubles" : ""} --verbose`,
    "",
  ].join("\n");
}
