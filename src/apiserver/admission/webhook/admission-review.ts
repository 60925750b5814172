import { randomUUID } from "node:crypto";
import type { AdmissionResponse, AdmissionReview } from "#/api/admission/v1.ts";
import type { TypeMeta } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { openAnswer } from "../../outgoing/read-answer.ts";
import type { Attributes } from "../../registry/admission.ts";
import { describeRequest } from "../request/admission-request.ts";
import type { Target } from "../request/matched-request.ts";
import type { VersionedObjects } from "../request/versioned-objects.ts";

/** A review for a webhook. */
export interface Review {
  readonly version: "v1" | "v1beta1";
  readonly uid: string;
  readonly body: object;
}

/**
 * Encodes a request in the first version of AdmissionReview that a webhook lists and we support. Throws if there is
 * none. Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go.
 */
export function createReview(
  versions: readonly string[],
  attributes: Attributes,
  target: Target,
  { object, oldObject }: VersionedObjects,
): Review {
  const version = versions.find((name) => name === "v1" || name === "v1beta1");
  if (version === undefined) {
    throw new Error("webhook does not accept known AdmissionReview versions (v1, v1beta1)");
  }
  const uid = randomUUID();
  const { dryRun, options, ...described } = describeRequest(attributes, target);
  const body = {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...described,
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun,
      options: options ?? null,
    },
  };
  return { version: version as Review["version"], uid, body };
}

/** Reads a webhook's response; throws if it is invalid. */
export function readResponse(
  { version, uid }: Review,
  content: Uint8Array,
  mutating: boolean,
): AdmissionResponse {
  const review = decodeReview(content, version);
  const { response } = review;
  if (!response) throw new Error("webhook response was absent");
  if (version === "v1beta1") {
    return mutating && response.patch ? { ...response, patchType: "JSONPatch" } : response;
  }
  if (response.uid !== uid) {
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? "")}`);
  }
  checkKind(review);
  checkPatch(response, mutating);
  return response;
}

/** Decodes a response as upstream's client does; an error counts as a failed call. */
function decodeReview(content: Uint8Array, version: string): AdmissionReview {
  const schema = findSchema("admission.k8s.io", version, "AdmissionReview");
  if (!schema) throw new Error(`no schema for AdmissionReview ${version}`);
  try {
    const body = openAnswer(content);
    checkKnown(body, version);
    return body.decode<AdmissionReview>(schema, false).value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new UndecodableAnswer(error.message);
  }
}

/** Refuses objects of kinds that the client does not know, and the other kind that it knows. */
function checkKnown(body: TypeMeta, asked: string): void {
  const { kind = "", apiVersion = "" } = body;
  const [named, version] = [kind || "AdmissionReview", apiVersion || `admission.k8s.io/${asked}`];
  if (named === "AdmissionReview" && version.startsWith("admission.k8s.io/")) return;
  if (named === "Status" && version === "v1") {
    throw new UndecodableAnswer(
      `converting (v1.Status) to (${asked}.AdmissionReview): unknown conversion`,
    );
  }
  throw new UndecodableAnswer(
    `no kind ${goQuote(named)} is registered for version ${goQuote(version)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** The response is not an AdmissionReview. */
export class UndecodableAnswer extends Error {
  override readonly name = "UndecodableAnswer";
}

function checkKind({ apiVersion = "", kind = "" }: AdmissionReview): void {
  if (apiVersion === "admission.k8s.io/v1" && kind === "AdmissionReview") return;
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  throw new Error(
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${group}/${version}, Kind=${kind}`,
  );
}

function checkPatch({ patch, patchType }: AdmissionResponse, mutating: boolean): void {
  if (!mutating) {
    if (patch) throw new Error("validating webhook may not return response.patch");
    if (patchType !== undefined) {
      throw new Error("validating webhook may not return response.patchType");
    }
    return;
  }
  if (patch && patchType === undefined) {
    throw new Error("webhook returned response.patch but not response.patchType");
  }
  if (!patch && patchType !== undefined) {
    throw new Error("webhook returned response.patchType but not response.patch");
  }
  if ((patchType as string | undefined) === "") {
    throw new Error('webhook returned invalid response.patchType of ""');
  }
}
