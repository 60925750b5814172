import type { AdmissionResponse } from "#/api/admission/v1.ts";
import type { Status } from "#/api/meta/v1.ts";
import { badRequest, fromStatus, StatusError } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type Attributes as SpanAttributes, spanned } from "#/std/trace/tracer.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Target } from "../request/matched-request.ts";
import type { VersionedObjects } from "../request/versioned-objects.ts";
import { createReview, type Review, readResponse, UndecodableAnswer } from "./admission-review.ts";
import { CallFailure } from "./call-failure.ts";
import type { Webhook } from "./webhook.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { WebhookRefusal } from "./webhook-refusal.ts";

/** Input of a call. */
interface WebhookCall {
  readonly webhook: Webhook;
  readonly target: Target;
  readonly attributes: Attributes;
  readonly objects: VersionedObjects;
  readonly mutating: boolean;
}

const defaultTimeoutSeconds = 10;

/**
 * Calls a webhook for a request. Warnings and audit annotations are forwarded. Rejects with a CallFailure if there is
 * no response, with a WebhookRefusal if the webhook refuses.
 */
export async function callWebhook(
  client: WebhookClient,
  call: WebhookCall,
): Promise<AdmissionResponse> {
  const { webhook, attributes, mutating } = call;
  checkSideEffects(call);
  const review = reviewFor(call);
  const { clientConfig, timeoutSeconds = defaultTimeoutSeconds } = webhook.spec;
  const content = await spanned(
    `Call ${mutating ? "mutating" : "validating"} webhook`,
    () => spanAttributes(call),
    () => client.post(clientConfig, review.body, timeoutSeconds),
  ).catch((error: Error) => {
    throw failedCall(webhook, error);
  });
  if (attributes.pace?.isLarge) await attributes.pace.rest("webhook response");
  const response = answerOf(webhook, review, content, mutating);
  for (const [key, value] of Object.entries(response.auditAnnotations ?? {})) {
    attributes.annotate(`${webhook.name}/${key}`, value);
  }
  for (const warning of response.warnings ?? []) attributes.warn(warning);
  if (!response.allowed) throw new WebhookRefusal(refusal(webhook.name, response.status));
  return response;
}

function spanAttributes({ webhook, attributes }: WebhookCall): SpanAttributes {
  const { group, version, name } = attributes.resource;
  return {
    webhook: webhook.name,
    resource: `${group}/${version}, Resource=${name}`,
    subresource: attributes.subresource,
    operation: attributes.operation,
  };
}

const failedCall = (webhook: Webhook, error: Error): CallFailure =>
  new CallFailure(webhook.name, `failed to call webhook: ${error.message}`, {
    cause: error,
    ...(error instanceof StatusError ? { code: error.code } : {}),
  });

function checkSideEffects({ webhook, attributes }: WebhookCall): void {
  if (!attributes.dryRun) return;
  const { sideEffects, name } = webhook.spec;
  if (sideEffects === undefined) {
    throw new CallFailure(name, "Webhook SideEffects is nil", { code: 400 });
  }
  if (sideEffects === "None" || sideEffects === "NoneOnDryRun") return;
  throw badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
}

function reviewFor({ webhook, attributes, target, objects }: WebhookCall): Review {
  try {
    return createReview(webhook.spec.admissionReviewVersions ?? [], attributes, target, objects);
  } catch (error) {
    const reason = (error as Error).message;
    throw new CallFailure(webhook.name, `could not create admission objects: ${reason}`, {
      code: 400,
    });
  }
}

function answerOf(
  webhook: Webhook,
  review: Review,
  content: Uint8Array,
  mutating: boolean,
): AdmissionResponse {
  try {
    return readResponse(review, content, mutating);
  } catch (error) {
    if (error instanceof UndecodableAnswer) throw failedCall(webhook, error);
    const reason = (error as Error).message;
    throw new CallFailure(webhook.name, `received invalid webhook response: ${reason}`);
  }
}

/**
 * A webhook's refusal, with its own message.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go.
 */
function refusal(webhook: string, status: Partial<Status> = {}): StatusError {
  const denied = `admission webhook ${goQuote(webhook)} denied the request`;
  const why = status.message || status.reason;
  return fromStatus({
    kind: "Status",
    apiVersion: "v1",
    metadata: status.metadata ?? {},
    status: status.status && status.status !== "Success" ? status.status : "Failure",
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    ...(status.reason ? { reason: status.reason } : {}),
    ...(status.details ? { details: status.details } : {}),
    code: Math.max(status.code ?? 0, 400),
  });
}
