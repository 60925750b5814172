import type { KubeletConfiguration } from "./kubelet-configuration.ts";
import { validateConfiguration } from "./validate-configuration.ts";

/** Throws for a configuration that upstream refuses, with its message. */
export function requireValid(config: KubeletConfiguration): void {
  const errors = validateConfiguration(config);
  if (errors.length === 0) return;
  const text = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
  throw new Error(`failed to validate kubelet configuration, error: ${text}`);
}
