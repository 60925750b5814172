/**
 * Upstream: staging/src/k8s.io/streaming/pkg/httpstream/spdy/roundtripper.go (NewConnection),
 * staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go.
 */
import { StatusError } from "#/machinery/meta/status-error.ts";
import { CommandError } from "../base/errors.ts";

/** True if an environment variable turns off a default feature. */
export function isTurnedOff(value: string | undefined): boolean {
  return value?.toLowerCase() === "false";
}

/** The error of a refused upgrade: the Status of the response, or its text. */
export function upgradeFailure(error: unknown): unknown {
  if (!(error instanceof StatusError)) return error;
  const { message = "", details } = error.status;
  const unexpected = details?.causes?.find(({ reason }) => reason === "UnexpectedServerResponse");
  const text = unexpected?.message ?? message;
  return new CommandError(`unable to upgrade connection: ${text}`, { cause: error });
}
