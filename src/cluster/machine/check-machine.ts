import { observeKernelChanges } from "#/std/kernel/kernel-changes.ts";
import { checkoutProblem, ownCheckout } from "./checkout-access.ts";
import { recorderOf } from "./host-changes.ts";
import { machineProblems, PreflightError, thisMachine } from "./preflight.ts";

/** Throws unless a cluster can run on this machine. */
export async function checkMachine(cluster: string): Promise<void> {
  observeKernelChanges(recorderOf(cluster));
  const problems = [
    ...machineProblems(await thisMachine()),
    ...[await checkoutProblem(ownCheckout)].filter((problem) => problem !== undefined),
  ];
  if (problems.length > 0) throw new PreflightError(problems);
}
