import { fromStatus, type ResourceName, type StatusError } from "#/machinery/status-error.ts";
import { goQuote } from "#/std/go-quote.ts";

const known: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: [
    "TooManyRequests",
    "the server has received too many requests and has asked us to try again later",
  ],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
};

/**
 * What clients are told of a backend's refusal that is no Status.
 *
 * Upstream: apimachinery/pkg/api/errors/errors.go (NewGenericServerResponse).
 */
export function serverResponse(
  code: number,
  { group, name: kind }: ResourceName,
  name: string,
  body: string,
): StatusError {
  const [reason, message] = describe(code, body);
  return fromStatus({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${message} ( ${group === "" ? kind : `${kind}.${group}`} ${name})`,
    ...(reason === "" ? {} : { reason }),
    details: { name, ...(group === "" ? {} : { group }), kind },
    code,
  });
}

function describe(code: number, body: string): readonly [reason: string, message: string] {
  if (code === 403) return ["Forbidden", body];
  if (code === 406 && body !== "" && body !== "unknown") return ["NotAcceptable", body];
  if (code === 415) return ["UnsupportedMediaType", body];
  const fixed = known[code];
  if (fixed) return fixed;
  if (code >= 500) {
    const message = `an error on the server (${goQuote(body)}) has prevented the request from succeeding`;
    return ["InternalError", message];
  }
  const message = `the server responded with the status code ${code} but did not return more information`;
  return ["", message];
}
