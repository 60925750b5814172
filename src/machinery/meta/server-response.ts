import type { Status } from "#/api/meta/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  fromStatus,
  qualified,
  type ResourceName,
  type StatusError,
  type StatusReason,
} from "./status-error.ts";

/** A server's response that is not a Status. */
interface ServerResponse {
  readonly code: number;
  /** The HTTP method. */
  readonly verb: string;
  readonly resource?: ResourceName;
  readonly name?: string;
  /** The printable part of the body. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** The body does not match the status code. */
  readonly unexpected?: boolean;
}

type Explanation = readonly [reason: StatusReason, message: string];

const explanations: ReadonlyMap<number, Explanation> = new Map([
  [404, ["NotFound", "the server could not find the requested resource"]],
  [400, ["BadRequest", "the server rejected our request for an unknown reason"]],
  [401, ["Unauthorized", "the server has asked for the client to provide credentials"]],
  [405, ["MethodNotAllowed", "the server does not allow this method on the requested resource"]],
  [422, ["Invalid", "the server rejected our request due to an error in our request"]],
  [503, ["ServiceUnavailable", "the server is currently unable to handle the request"]],
  [
    504,
    [
      "Timeout",
      "the server was unable to return a response in the time allotted, but may still be processing the request",
    ],
  ],
  [
    429,
    [
      "TooManyRequests",
      "the server has received too many requests and has asked us to try again later",
    ],
  ],
] satisfies [number, Explanation][]);

/**
 * A client's error for a response without a Status.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go (NewGenericServerResponse).
 */
export function fromServerResponse(response: ServerResponse): StatusError {
  const { code, verb, resource, name = "", message, retryAfterSeconds = 0 } = response;
  const [reason, explanation] = explain(code, verb, message);
  const about = resource && [verb.toLowerCase(), qualified(resource.name, resource.group)];
  const subject = about ? ` (${[...about, ...(name === "" ? [] : [name])].join(" ")})` : "";
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: explanation + subject,
    ...(reason === "" ? {} : { reason }),
    details: {
      ...(name === "" ? {} : { name }),
      ...(resource?.group ? { group: resource.group } : {}),
      ...(resource === undefined ? {} : { kind: resource.name }),
      ...(response.unexpected ? { causes: [{ reason: "UnexpectedServerResponse", message }] } : {}),
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
    code,
  };
  return fromStatus(status);
}

function explain(code: number, verb: string, message: string): Explanation {
  switch (code) {
    case 409:
      return [verb === "POST" ? "AlreadyExists" : "Conflict", "the server reported a conflict"];
    case 403:
      return ["Forbidden", message];
    case 415:
      return ["UnsupportedMediaType", message];
    case 406: {
      const unsaid = message === "" || message === "unknown";
      const fallback =
        "the server was unable to respond with a content type that the client supports";
      return ["NotAcceptable", unsaid ? fallback : message];
    }
  }
  const known = explanations.get(code);
  if (known !== undefined) return known;
  if (code >= 500) {
    const text = `an error on the server (${goQuote(message)}) has prevented the request from succeeding`;
    return ["InternalError", text];
  }
  return [
    "",
    `the server responded with the status code ${code} but did not return more information`,
  ];
}
