/** Upstream: cmd/kubelet/app/server.go. */

import type { InProcessAccess } from "#/client/connect.ts";
import { componentCommand } from "#/component/component-command.ts";
import { flagUsage } from "#/std/flags/flag-usage.ts";
import { type ParsedFlags, parseFlags } from "#/std/flags/flags.ts";
import { runKubelet } from "./assembly/run-kubelet.ts";
import { kubeletFlags } from "./config/flags.ts";
import type { KubeletConfiguration } from "./config/kubelet-configuration.ts";
import { loadConfiguration } from "./config/load-configuration.ts";
import { requireValid } from "./config/require-valid.ts";
import { validateNodeLabels } from "./config/validate-flags.ts";

export { pullImage } from "./images/pull-image.ts";
export { collectLogs } from "./pods/log-collection.ts";
export { removeAllPods } from "./remove-all-pods.ts";
export { askRuntime } from "./state/ask-runtime.ts";
export { listImages, type NodeImage, removeImage } from "./state/node-images.ts";

type Parsed = ParsedFlags<typeof kubeletFlags>;

/** The command `kubelet`, on its own or beside others. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(kubeletFlags, args),
  usage: () => flagUsage(kubeletFlags),
  validate: async (parsed) => void (await validConfiguration(parsed)),
  run,
});

/** The configuration of flags and files; rejects if it is invalid. */
async function validConfiguration(parsed: Parsed): Promise<KubeletConfiguration> {
  validateNodeLabels(parsed.values["node-labels"]);
  const config = await loadConfiguration(parsed);
  requireValid(config);
  return config;
}

/** Runs pods until the signal aborts. Containers keep running. */
export async function run(
  parsed: Parsed,
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  const config = await validConfiguration(parsed);
  await runKubelet({ flags: parsed.values, config, connect }, signal);
}
