import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ownCheckout, ownerHint } from "../machine/checkout-access.ts";
import { ownRuntime, runnerOf } from "./own-runtime.ts";

/** Prints known risks of this machine, each with a remedy. */
export async function reportRisks(progress: Progress, settings: ClusterSettings): Promise<void> {
  for (const line of await knownRisks(settings)) progress.print(line);
}

/** Known risks of this machine. A runtime of the user's own is the user's concern. */
export async function knownRisks(settings: ClusterSettings): Promise<string[]> {
  const ofRuntime = await ownRuntime(settings)
    ?.risk?.(runnerOf(settings))
    .catch(() => undefined);
  return [ofRuntime, ownerHint(ownCheckout)].filter((line) => line !== undefined);
}
