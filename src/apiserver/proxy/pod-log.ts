import type { IncomingMessage } from "node:http";
import {
  type FieldError,
  forbidden as forbiddenField,
  invalid as invalidField,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { fromServerResponse } from "#/machinery/meta/server-response.ts";
import {
  badRequest,
  internalError,
  invalid,
  type StatusError,
  statusWithoutReason,
} from "#/machinery/meta/status-error.ts";
import type { Reply } from "../model/exchange.ts";
import { formatLocation, type Location } from "../outgoing/location.ts";
import { BackendError } from "../outgoing/transport.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import { chooseContainer } from "./choose-container.ts";
import { connectionsOf, findKubeletOf, podOf } from "./pod-request.ts";
import { flagIn, integerIn, timeIn } from "./query-values.ts";
import { readText } from "./read-text.ts";
import { streamOf } from "./reverse-proxy.ts";
import { wantsWebSocket, webSocketReply } from "./websocket-stream.ts";

/** Limit of a kubelet's error body (bytes). */
const maxErrorBytes = 50_000;

interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly sinceSeconds: bigint | undefined;
  readonly sinceTime: string | undefined;
  readonly timestamps: boolean;
  readonly tailLines: bigint | undefined;
  readonly limitBytes: bigint | undefined;
  readonly insecureSkipTLSVerifyBackend: boolean;
  readonly stream: string | undefined;
}

/**
 * The output of a container, streamed from the kubelet.
 *
 * Upstream: pkg/registry/core/pod/rest/log.go, pkg/registry/core/pod/strategy.go (LogLocation).
 */
export async function getLog(request: ResourceRequest): Promise<Result> {
  const { exchange } = request;
  const options = parseOptions(exchange.query);
  const errors = validateOptions(options);
  const { name } = exchange.info;
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, name, errors);
  const pod = await podOf(request, name);
  const container = chooseContainer(pod, options.container);
  const { nodeName } = pod.spec;
  if (!nodeName) return noContent;
  const connections = connectionsOf(request);
  const kubelet = await findKubeletOf(request, nodeName);
  const { namespace } = pod.metadata;
  const location: Location = {
    ...kubelet,
    path: `/containerLogs/${namespace}/${pod.metadata.name}/${container}`,
    query: queryFor(options),
  };
  const transport = options.insecureSkipTLSVerifyBackend
    ? connections.insecureKubelet
    : connections.kubelet;
  const response = await transport
    .send({ method: "GET", location, headers: {}, signal: exchange.signal })
    .catch((error: unknown) => {
      if (!(error instanceof BackendError)) throw error;
      throw statusWithoutReason(`Get "${formatLocation(location)}": ${error.message}`);
    });
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 206) throw await refusal(response, location, name);
  const messages = wantsWebSocket(exchange) ? webSocketReply(exchange, response) : undefined;
  return { type: "raw", reply: messages ?? plainReply(response) };
}

function plainReply(response: IncomingMessage): Reply {
  return { status: 200, headers: { "content-type": "text/plain" }, body: streamOf(response) };
}

const noContent: Result = {
  type: "raw",
  get reply() {
    return { status: 204, headers: {}, body: { type: "bytes" as const, chunks: [] } };
  },
};

function parseOptions(query: URLSearchParams): LogOptions {
  return {
    container: query.get("container") ?? "",
    follow: flagIn(query, "follow"),
    previous: flagIn(query, "previous"),
    sinceSeconds: integerIn(query, "sinceSeconds"),
    sinceTime: timeIn(query, "sinceTime"),
    timestamps: flagIn(query, "timestamps"),
    tailLines: integerIn(query, "tailLines"),
    limitBytes: integerIn(query, "limitBytes"),
    insecureSkipTLSVerifyBackend: flagIn(query, "insecureSkipTLSVerifyBackend"),
    stream: query.get("stream") ?? undefined,
  };
}

function validateOptions(options: LogOptions): FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime, stream } = options;
  const errors: FieldError[] = [];
  const bad = (name: string, value: bigint, detail: string) =>
    errors.push(invalidField(fieldPath(name), Number(value), detail));
  if (tailLines !== undefined && tailLines < 0n) {
    bad("tailLines", tailLines, "must be greater than or equal to 0");
  }
  if (limitBytes !== undefined && limitBytes < 1n) {
    bad("limitBytes", limitBytes, "must be greater than 0");
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    const detail = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    errors.push(forbiddenField(fieldPath(""), detail));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1n) {
    bad("sinceSeconds", sinceSeconds, "must be greater than 0");
  }
  if (stream !== undefined)
    errors.push(forbiddenField(fieldPath("stream"), "may not be specified"));
  return errors;
}

/** The kubelet's parameters, in the order of their names. */
function queryFor(options: LogOptions): string {
  const { follow, limitBytes, previous, sinceSeconds, sinceTime, tailLines, timestamps } = options;
  const query = new URLSearchParams();
  if (follow) query.set("follow", "true");
  if (limitBytes !== undefined) query.set("limitBytes", String(limitBytes));
  if (previous) query.set("previous", "true");
  if (sinceSeconds !== undefined) query.set("sinceSeconds", String(sinceSeconds));
  if (sinceTime !== undefined) query.set("sinceTime", sinceTime);
  if (tailLines !== undefined) query.set("tailLines", String(tailLines));
  if (timestamps) query.set("timestamps", "true");
  return query.toString();
}

/** The kubelet's refusal as a Status. */
async function refusal(
  response: IncomingMessage,
  location: Location,
  name: string,
): Promise<StatusError> {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status <= 308 && response.headers.location !== undefined) {
    response.destroy();
    return statusWithoutReason(`Get "${formatLocation(location)}": redirects forbidden`);
  }
  const body = await readText(response, maxErrorBytes);
  if (status === 500) return internalError(new Error(body));
  if (status === 400) return badRequest(body);
  const resource = { group: "", name: "pods/log" };
  return fromServerResponse({ code: status, verb: "", resource, name, message: body });
}
