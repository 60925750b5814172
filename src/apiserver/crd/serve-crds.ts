import { logger } from "#/std/log.ts";
import type { Registry } from "../registry/registry.ts";
import { systemContext } from "../registry/system-context.ts";
import { CrdController } from "./crd-controller.ts";

/** Serves custom resources beside the built-in ones, until the signal aborts. */
export async function serveCustomResources(
  registry: Registry,
  enabled: (feature: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const controller = new CrdController({
    registry,
    log: logger("apiextensions"),
    context: (namespace) => systemContext(registry, enabled, namespace),
    conversionOf: () => undefined,
  });
  await controller.start(signal);
}
