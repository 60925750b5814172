import { runProgram } from "#/std/process/run-program.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ownCheckout, ownerHint } from "./checkout-access.ts";
import { containerdWarning } from "./containerd-version.ts";

/** Prints known risks of this machine, each with a remedy. A runtime of the user's own is the user's concern. */
export async function reportRisks(
  progress: Progress,
  { runtimeEndpoint }: ClusterSettings,
): Promise<void> {
  const containerd = runtimeEndpoint
    ? ""
    : await runProgram("containerd", ["--version"]).catch(() => "");
  for (const line of [containerdWarning(containerd), ownerHint(ownCheckout)]) {
    if (line !== undefined) progress.print(line);
  }
}
