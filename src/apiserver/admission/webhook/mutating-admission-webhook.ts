import type { AdmissionResponse } from "#/api/admission/v1.ts";
import { mutatingWebhookConfigurations } from "#/api/admissionregistration/v1.ts";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { internalError } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { decodeJsonPatch, jsonPatchSteps } from "#/machinery/patch/json-patch.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { PatchError } from "#/machinery/patch/values/patch-error.ts";
import { jsonSteps } from "#/std/base/json-steps.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { logger } from "#/std/log/log.ts";
import { inPace } from "../../model/pace.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { admissionPlugin, type PluginServices, type Round } from "../base/admission-plugin.ts";
import type { Target } from "../request/matched-request.ts";
import { storedObject, versionedObjects } from "../request/versioned-objects.ts";
import { CallFailure } from "./call-failure.ts";
import { callWebhook } from "./call-webhook.ts";
import { type Candidate, HookSource } from "./hook-source.ts";
import { measuredCall } from "./measured-call.ts";
import { Reinvocation } from "./reinvocation.ts";
import { openWebhookClient } from "./validating-admission-webhook.ts";
import type { Webhook } from "./webhook.ts";
import type { WebhookClient } from "./webhook-client.ts";

const log = logger("admission");
const name = "MutatingAdmissionWebhook";
const annotationDomain = "mutation.webhook.admission.k8s.io/";
/** Limit of the changed fields that are noted (count). */
const maxNoted = 12;
const patchDomain = "patch.webhook.admission.k8s.io/";

/**
 * Calls the matching webhooks in order; each may change the object.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go.
 */
export const mutatingAdmissionWebhook = admissionPlugin({
  name,
  operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
  open(services) {
    const source = new HookSource(services.registry, mutatingWebhookConfigurations);
    const client = openWebhookClient(services);
    return {
      mutate(given, _, round) {
        const attributes = given as Attributes;
        const candidates = source.candidates(attributes);
        if (candidates.length === 0) return;
        return askEach(candidates, { attributes, client, services, round });
      },
    };
  },
});

interface Asking {
  readonly attributes: Attributes;
  readonly client: WebhookClient;
  readonly services: PluginServices;
  readonly round: Round;
}

async function askEach(candidates: readonly Candidate[], asking: Asking): Promise<void> {
  const { attributes, services, round } = asking;
  const memory = Reinvocation.of(round, name);
  if (round.isReinvocation && memory.hasChangedSince(attributes.object)) memory.callAgain();
  try {
    for (const candidate of candidates) {
      const { webhook, target } = candidate;
      if (!(await webhook.wants(attributes, target, "admit", services))) continue;
      if (round.isReinvocation && !memory.wantsAgain(webhook.uid)) continue;
      const changed = await ask(candidate, asking);
      if (changed) {
        memory.callAgain();
        round.reinvoke = true;
      }
      if (webhook.spec.reinvocationPolicy === "IfNeeded") memory.add(webhook.uid);
    }
  } finally {
    memory.remember(attributes.object);
  }
}

async function ask(candidate: Candidate, asking: Asking): Promise<boolean> {
  const { webhook, index } = candidate;
  const { attributes, round } = asking;
  const key = `round_${round.isReinvocation ? 1 : 0}_index_${index}`;
  let mutated = false;
  try {
    const asked = { webhook, attributes, type: "admit" } as const;
    mutated = await measuredCall(asked, asking.services, (changed) =>
      callAndApply(candidate, asking, key, changed),
    );
    return mutated;
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (!webhook.ignoresFailures) throw internalError(error);
    log.error(error, "ignored failed webhook", { webhook: webhook.name });
    attributes.annotate(`failed-open.${annotationDomain}${key}`, webhook.name);
    return false;
  } finally {
    const { configuration, name: webhookName } = webhook;
    const note = JSON.stringify({ configuration, webhook: webhookName, mutated });
    attributes.annotate(annotationDomain + key, note);
  }
}

async function callAndApply(
  { webhook, target }: Candidate,
  { attributes, client, services }: Asking,
  key: string,
  note: (pointers: readonly string[]) => void,
): Promise<boolean> {
  const objects = await versionedObjects(services.registry, attributes, target);
  const call = { webhook, target, attributes, objects, mutating: true };
  const response = await callWebhook(client, call);
  const operations = operationsOf(webhook, response);
  if (operations.length === 0) return false;
  if (!objects.object) {
    const what = `admission webhook ${goQuote(webhook.name)} attempted to modify the object`;
    throw internalError(new Error(`${what}, which is not supported for this operation`));
  }
  if (response.patchType !== "JSONPatch") {
    throw new CallFailure(
      webhook.name,
      `unsupported patch type ${goQuote(response.patchType ?? "")}`,
    );
  }
  const changed = await patched(services, objects.object, target, operations, attributes);
  note(operations.map(({ path }) => String(path)).slice(0, maxNoted));
  const { configuration, name: webhookName } = webhook;
  const patch = { configuration, webhook: webhookName, patch: operations, patchType: "JSONPatch" };
  const shown = await inPace(attributes.pace, "audit annotation", jsonSteps(patch));
  attributes.annotate(patchDomain + key, String(shown));
  if (attributes.pace?.isLarge) await attributes.pace.rest("comparison");
  const differs = !deepEqual(changed, attributes.object);
  attributes.object = changed;
  return differs;
}

function operationsOf(webhook: Webhook, { patch }: AdmissionResponse): readonly JsonObject[] {
  if (!patch) return [];
  try {
    const { value } = parseJson(Buffer.from(patch, "base64"));
    return decodeJsonPatch(value, { checked: false }).operations;
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof PatchError)) throw error;
    throw new CallFailure(
      webhook.name,
      `received undecodable patch in webhook response: ${error.message}`,
    );
  }
}

async function patched(
  { registry }: PluginServices,
  object: ApiObject,
  target: Target,
  operations: readonly JsonObject[],
  { pace }: Pick<Attributes, "pace">,
): Promise<ApiObject> {
  let changed: unknown;
  try {
    if (pace?.isLarge) await pace.rest("copy for webhook");
    const own = deepCopy(object) as unknown as JsonObject;
    changed = await inPace(pace, "patch of webhook", jsonPatchSteps(own, operations));
  } catch (error) {
    if (error instanceof PatchError) throw internalError(error);
    throw error;
  }
  if (pace?.isLarge) await pace.rest("decode");
  return storedObject(registry, target, changed, pace);
}
