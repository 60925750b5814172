import { posix } from "node:path";
import { parseDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

/** Least interval between two checks of the sizes of logs (ms). */
const leastMonitorMs = 3000;

/** Where logs are, and how they are rotated and read. Upstream: pkg/kubelet/apis/config/validation/validation.go. */
export function validateLogs(
  config: KubeletConfiguration,
  enabled: (gate: string) => boolean,
): string[] {
  const { podLogsDir: folder, enableSystemLogQuery: query = false } = config;
  const shown = `pod logs path ${goQuote(folder)}`;
  const rules: readonly (readonly [wrong: boolean, error: string])[] = [
    [
      config.containerRuntimeEndpoint === "",
      "the containerRuntimeEndpoint was not specified or empty",
    ],
    [
      query && !enabled("NodeLogQuery"),
      "NodeLogQuery feature gate is required for enableSystemLogQuery",
    ],
    [
      query && !config.enableSystemLogHandler,
      "enableSystemLogHandler is required for enableSystemLogQuery",
    ],
    [
      config.containerLogMaxWorkers < 1,
      "containerLogMaxWorkers must be greater than or equal to 1",
    ],
    [
      parseDuration(config.containerLogMonitorInterval) < leastMonitorMs,
      "containerLogMonitorInterval must be a positive time duration greater than or equal to 3s",
    ],
    [config.containerLogMaxFiles <= 1, "containerLogMaxFiles must be greater than 1"],
    [folder === "", "podLogsDir was not specified"],
    [!posix.isAbsolute(folder), `${shown} must be absolute path`],
    [cleanPath(folder) !== folder, `${shown} must be normalized`],
    [/[^\0-\x7f]/.test(folder), `${shown} mut contains ASCII characters only`],
  ];
  return rules.flatMap(([wrong, error]) => (wrong ? [error] : []));
}

function cleanPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
