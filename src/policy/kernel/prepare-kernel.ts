import { loadModule } from "#/std/kernel/kernel-changes.ts";
import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";

interface PrepareOptions {
  readonly run: RunProgram;
  setKernelValue(path: string, value: string): Promise<unknown>;
  readonly log: Logger;
}

/** Without these, packets between Pods of the same bridge pass no rules. */
const settings = ["net/bridge/bridge-nf-call-iptables", "net/bridge/bridge-nf-call-ip6tables"];

/** Has the kernel pass packets within a bridge through our rules. Networks without a bridge don't need it. */
export async function preparePolicyKernel(options: PrepareOptions): Promise<void> {
  const { run, setKernelValue, log } = options;
  await loadModule("br_netfilter", run);
  for (const path of settings) {
    await setKernelValue(path, "1").catch((error: unknown) =>
      log.info("cannot have packets within a bridge pass the rules of policies", { path, error }),
    );
  }
}
