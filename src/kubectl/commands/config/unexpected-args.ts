import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";

/** The output for a wrong number of arguments: help first, then the error. */
export async function unexpectedArgs(
  args: readonly string[],
  context: Context,
): Promise<CommandError> {
  context.out.write(await context.help());
  return new CommandError(`Unexpected args: [${args.join(" ")}]`);
}
