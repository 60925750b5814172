import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ownCheckout, ownerHint } from "../machine/checkout-access.ts";
import { ownRuntime, runnerOf } from "./own-runtime.ts";

/** Prints known risks of this machine, each with a remedy. A runtime of the user's own is the user's concern. */
export async function reportRisks(progress: Progress, settings: ClusterSettings): Promise<void> {
  const ofRuntime = await ownRuntime(settings)
    ?.risk?.(runnerOf(settings))
    .catch(() => undefined);
  for (const line of [ofRuntime, ownerHint(ownCheckout)]) {
    if (line !== undefined) progress.print(line);
  }
}
