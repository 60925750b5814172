/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go (NewCmdCordon, NewCmdUncordon). */
import type { FlagSet } from "#/std/flags/flags.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { dryRunFlag, dryRunOf, selectorFlag } from "../../command/shared-flags.ts";
import { checkChoice, chooseNodes, setUnschedulable } from "./nodes.ts";

const flags = { ...selectorFlag, ...dryRunFlag } satisfies FlagSet;

type CordonInvocation = Invocation<typeof flags>;

/** `kubectl cordon`. */
export const cordon = command({
  usage: "cordon NODE",
  flags,
  completes: { of: "names", type: "nodes", once: true },
  run: (invocation: CordonInvocation, context) => run(invocation, context, true),
});

/** `kubectl uncordon`. */
export const uncordon = command({
  usage: "uncordon NODE",
  flags,
  completes: { of: "names", type: "nodes", once: true },
  run: (invocation: CordonInvocation, context) => run(invocation, context, false),
});

async function run(
  { flags, args, changed }: CordonInvocation,
  context: Context,
  wanted: boolean,
): Promise<void> {
  const usage = wanted ? "cordon NODE" : "uncordon NODE";
  const choice = { args, selector: flags.selector, hasSelector: changed.has("selector"), usage };
  checkChoice(choice, context);
  const dryRun = dryRunOf(flags["dry-run"], context);
  await setUnschedulable(await chooseNodes(choice, context), wanted, dryRun, context);
}
