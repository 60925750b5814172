/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go (DefaultSubCommandRun). */
import { goQuote } from "#/std/go/go-quote.ts";
import { ExitError, usageError } from "../base/errors.ts";
import type { Invocation } from "./command.ts";
import type { Context } from "./context.ts";

/** run() of a command that requires a subcommand: prints its help, and fails. */
export function subcommandHelp(to: "out" | "err") {
  return async ({ args }: Invocation, context: Context): Promise<never> => {
    if (args.length > 0) throw usageError(context, `unknown command ${goQuote(args.join(" "))}`);
    context[to].write(await context.help());
    throw new ExitError(1);
  };
}
