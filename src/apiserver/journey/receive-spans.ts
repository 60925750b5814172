import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { journeys } from "#/machinery/journey/handles.ts";
import { parseResource } from "#/machinery/journey/step.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import { message, nested } from "#/std/protobuf/protobuf.ts";
import { int64, string } from "#/std/protobuf/protobuf-field.ts";
import { noAttributes } from "../model/authorizer.ts";
import { bytesReply, header, type Reply, type UserInfo } from "../model/exchange.ts";
import { paceOf } from "../model/pace.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import { checkFields, readBody } from "../verbs/body/read-body.ts";
import { decodeSpans, type ReceivedSpans } from "./decode-spans.ts";
import { jsonReply } from "./json-reply.ts";
import type { SpanStore } from "./span-store.ts";

const inflate = promisify(gunzip);

const protobufType = "application/x-protobuf";
/** Limit of a body after it is inflated (bytes). */
const maxInflatedBytes = 4 << 20;

/** OTLP's ExportTraceServiceResponse. */
const ExportResponse = message({
  partialSuccess: nested(1, message({ rejectedSpans: int64(1), errorMessage: string(2) })),
});

/** The resource whose objects report spans. */
const reporting = "pods";
/** What a token of a Pod says about it. */
const podUidExtra = "authentication.kubernetes.io/pod-uid";

interface SpanReceiver {
  readonly spans: SpanStore;
  readonly catalog: Catalog;
}

/**
 * POST of spans by applications: OTLP over HTTP, with /apis/journey.k8ts.dev as its endpoint. A Pod's own token gives the
 * spans to that Pod. Others, such as a collector, name the Pod by k8s.namespace.name and k8s.pod.name, and need permission
 * to create journeys/spans in its namespace.
 */
export async function receiveSpans(
  request: ResourceRequest,
  { spans, catalog }: SpanReceiver,
): Promise<Reply> {
  const { exchange } = request;
  const { user } = exchange;
  if (!user) throw badRequest("the request has no user");
  const isProtobuf = header(exchange, "content-type")?.startsWith(protobufType) ?? false;
  const encoding = header(exchange, "content-encoding");
  const body = await inflated(await readBody(exchange), encoding);
  const pace = paceOf(exchange);
  await pace.begin(body.length, "parse spans");
  if (!isProtobuf) checkFields(body);
  const received = read(body, isProtobuf);
  let rejected = 0;
  for (const part of received) {
    await pace.rest("add spans");
    const podUid = await podOf(part, { request, user, catalog });
    if (podUid === undefined) rejected += part.spans.length;
    else spans.add(podUid, part.spans);
  }
  return reply(rejected, isProtobuf);
}

async function inflated(body: Uint8Array, encoding: string | undefined): Promise<Uint8Array> {
  if (encoding !== "gzip") return body;
  try {
    return await inflate(body, { maxOutputLength: maxInflatedBytes });
  } catch (error) {
    throw invalidSpans(error);
  }
}

function read(body: Uint8Array, isProtobuf: boolean): readonly ReceivedSpans[] {
  try {
    return decodeSpans(body, isProtobuf);
  } catch (error) {
    throw invalidSpans(error);
  }
}

const invalidSpans = (error: unknown): Error =>
  badRequest(`the spans are invalid: ${(error as Error).message}`);

interface Sender {
  readonly request: ResourceRequest;
  readonly user: UserInfo;
  readonly catalog: Catalog;
}

/** The uid of the Pod that spans belong to; undefined if the sender may not report for it. */
async function podOf(part: ReceivedSpans, sender: Sender): Promise<string | undefined> {
  const own = sender.user.extra?.[podUidExtra]?.[0] ?? "";
  const { podUid, podName, namespace } = part;
  if (own !== "" && (podUid === own || (podUid === "" && podName === ""))) return own;
  const { group, name } = parseResource(reporting);
  const found = sender.catalog
    .findResource(group, name)
    ?.store.findCached(namespace, podName)
    ?.parsed();
  const uid = found?.metadata.uid;
  if (uid === undefined || (podUid !== "" && podUid !== uid)) return undefined;
  return (await mayReport(sender, namespace)) ? uid : undefined;
}

async function mayReport({ request, user }: Sender, namespace: string): Promise<boolean> {
  const { group: apiGroup, version: apiVersion, name: resource } = journeys;
  const about = { apiGroup, apiVersion, resource, subresource: "spans", namespace };
  const attributes = { ...noAttributes, ...about, user, verb: "create" };
  return (await request.services.authorizer.authorize(attributes)).decision === "allow";
}

function reply(rejectedSpans: number, isProtobuf: boolean): Reply {
  const errorMessage = "the Pod is unknown, or spans of its namespace are forbidden";
  const response = rejectedSpans === 0 ? {} : { partialSuccess: { rejectedSpans, errorMessage } };
  if (!isProtobuf) return jsonReply(200, response);
  return bytesReply(200, protobufType, ExportResponse.encode(response));
}
