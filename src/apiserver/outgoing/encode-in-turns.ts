import { jsonSteps } from "#/std/base/json-steps.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { systemClock } from "#/std/time/clock.ts";

/** The JSON of a value of any size; other requests are served meanwhile. */
export const encodeInTurns = (value: unknown): Promise<Buffer> =>
  new TurnBudget(systemClock).run(jsonSteps(value));
