import { validatingWebhookConfigurations } from "#/api/admissionregistration/v1.ts";
import { internalError } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { Attributes } from "../../registry/admission.ts";
import { admissionPlugin, type PluginServices } from "../base/admission-plugin.ts";
import { versionedObjects } from "../request/versioned-objects.ts";
import { CallFailure } from "./call-failure.ts";
import { callWebhook } from "./call-webhook.ts";
import { type Candidate, HookSource } from "./hook-source.ts";
import { measuredCall } from "./measured-call.ts";
import { serviceResolver } from "./service-resolver.ts";
import { WebhookClient } from "./webhook-client.ts";

const log = logger("admission");
const failedOpen = "failed-open.validating.webhook.admission.k8s.io/";

/**
 * Calls all matching webhooks concurrently.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go.
 */
export const validatingAdmissionWebhook = admissionPlugin({
  name: "ValidatingAdmissionWebhook",
  operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
  open(services) {
    const { registry } = services;
    const source = new HookSource(registry, validatingWebhookConfigurations);
    const client = openWebhookClient(services);
    return {
      validate(given) {
        const attributes = given as Attributes;
        const candidates = source.candidates(attributes);
        if (candidates.length === 0) return;
        return askAll(candidates, attributes, client, services);
      },
    };
  },
});

/** A client that connects to Services as the flags configure. */
export function openWebhookClient({
  registry,
  flags,
  clock,
  egress,
}: PluginServices): WebhookClient {
  const resolve = serviceResolver(registry, flags["enable-aggregator-routing"]);
  return new WebhookClient(resolve, clock, egress);
}

async function askAll(
  candidates: readonly Candidate[],
  attributes: Attributes,
  client: WebhookClient,
  services: PluginServices,
): Promise<void> {
  const wanted: Candidate[] = [];
  for (const candidate of candidates) {
    const { webhook, target } = candidate;
    if (await webhook.wants(attributes, target, "validating", services)) wanted.push(candidate);
  }
  const outcomes = await Promise.all(
    wanted.map(({ webhook, target }, index) =>
      ask(webhook, target, index).then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  const failed = outcomes.find((error) => error !== undefined);
  if (failed !== undefined) throw failed;

  async function ask(
    webhook: Candidate["webhook"],
    target: Candidate["target"],
    index: number,
  ): Promise<void> {
    const objects = await versionedObjects(services.registry, attributes, target);
    try {
      const asked = { webhook, attributes, type: "validating" } as const;
      await measuredCall(asked, services, () =>
        callWebhook(client, { webhook, target, attributes, objects, mutating: false }),
      );
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      if (!webhook.ignoresFailures) throw internalError(error);
      log.error(error, "ignored failed webhook", { webhook: webhook.name });
      attributes.annotate(`${failedOpen}round_0_index_${index}`, webhook.name);
    }
  }
}
