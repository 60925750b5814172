import { observeKernelChanges } from "#/std/kernel/kernel-changes.ts";
import { familiesOf } from "../base/address-families.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { checkoutProblem, ownCheckout } from "./checkout-access.ts";
import { recorderOf } from "./host-changes.ts";
import { machineProblems, PreflightError, thisMachine } from "./preflight.ts";

/** Throws unless a cluster can run on this machine. */
export async function checkMachine({
  name,
  proxyMode,
  podCidr,
}: Pick<ClusterSettings, "name" | "proxyMode" | "podCidr">): Promise<void> {
  observeKernelChanges(recorderOf(name));
  const problems = [
    ...machineProblems(await thisMachine(proxyMode), {
      proxyMode,
      ipv6: familiesOf(podCidr).includes(6),
    }),
    ...[await checkoutProblem(ownCheckout)].filter((problem) => problem !== undefined),
  ];
  if (problems.length > 0) throw new PreflightError(problems);
}
