import { FlagError } from "#/std/flags/flags.ts";
import { type PlanContext, planAll } from "./plan-all.ts";
import { planText } from "./plan-text.ts";

/** Prints what would be done: --plan-only. */
export async function printPlan(context: PlanContext): Promise<void> {
  const format = context.options.flags.output;
  if (format !== "text" && format !== "json") {
    throw new FlagError(`invalid argument "${format}" for "--output" flag: must be text or json`);
  }
  const planned = await planAll(context);
  const shown = planned.map(({ subject: _, ...plan }) => plan);
  process.stdout.write(
    format === "json" ? `${JSON.stringify(shown, undefined, 2)}\n` : planText(planned),
  );
}
