import { logger } from "#/std/log/log.ts";
import { serviceResolver } from "../admission/webhook/service-resolver.ts";
import { WebhookClient } from "../admission/webhook/webhook-client.ts";
import type { Egress } from "../egress/egress.ts";
import type { Registry } from "../registry/registry.ts";
import { systemContext } from "../registry/system-context.ts";
import { CrdController } from "./crd-controller.ts";
import { WebhookConversion } from "./webhook-conversion.ts";

interface CustomResourceOptions {
  enabled(feature: string): boolean;
  /** Calls conversion webhooks at endpoints instead of the Service's address (--enable-aggregator-routing). */
  readonly routeToEndpoints: boolean;
  readonly egress?: Egress;
}

/** Serves custom resources in addition to built-in ones, until the signal aborts. */
export async function serveCustomResources(
  registry: Registry,
  { enabled, routeToEndpoints, egress }: CustomResourceOptions,
  signal: AbortSignal,
): Promise<void> {
  const resolve = serviceResolver(registry, routeToEndpoints);
  const client = new WebhookClient(resolve, registry.clock, egress);
  signal.addEventListener("abort", () => client[Symbol.dispose](), { once: true });
  const controller = new CrdController({
    registry,
    log: logger("apiextensions"),
    context: (namespace) => systemContext(registry, enabled, namespace),
    conversionOf: ({ spec: { conversion } }) =>
      conversion?.strategy === "Webhook" && conversion.webhook
        ? new WebhookConversion(client, conversion.webhook)
        : undefined,
  });
  await controller.start(signal);
}
