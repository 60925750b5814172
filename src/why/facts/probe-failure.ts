import type { Container, Probe } from "#/api/core/v1.ts";
import { oneLine } from "../base/text.ts";
import { connectionFailure } from "./connection-failure.ts";

/** A probe in words: `HTTP GET /healthz on port 8080, every 10s, limit 1s, fails after 3`. */
export function probeText(probe: Probe): string {
  const {
    periodSeconds = 10,
    timeoutSeconds = 1,
    initialDelaySeconds = 0,
    failureThreshold = 3,
  } = probe;
  const delay = initialDelaySeconds > 0 ? `, first after ${initialDelaySeconds}s` : "";
  return `${actionText(probe)}, every ${periodSeconds}s, limit ${timeoutSeconds}s, fails after ${failureThreshold}${delay}`;
}

function actionText({ httpGet, tcpSocket, grpc, exec }: Probe): string {
  if (httpGet) {
    const { scheme = "HTTP", host = "", port, path = "/" } = httpGet;
    return `${scheme} GET ${path} on port ${port}${host ? ` of ${host}` : ""}`;
  }
  if (tcpSocket) return `TCP connection to port ${tcpSocket.port}`;
  if (grpc) return `gRPC health of port ${grpc.port}`;
  // The arguments may be confidential.
  return exec ? `command ${exec.command?.[0] ?? ""}` : "no action";
}

/** What a probe got instead of what, from the text of an Unhealthy event. */
export function probeResult(
  message: string,
  container: Container,
  probe: Probe | undefined,
): string {
  const said = message.replace(
    /^\w+ probe (?:failed|errored and resulted in \w+ state|errored): ?/,
    "",
  );
  const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port ?? probe?.grpc?.port;
  const what = probe ? `${actionText(probe)} got` : "got";
  const status = /statuscode: (\d+)/.exec(said)?.[1];
  if (status) return `${what} status ${status} instead of 200 to 399${statusHint(status)}`;
  if (/service unhealthy|NOT_SERVING/i.test(said)) return `${what} NOT_SERVING`;
  if (/couldn't find port|invalid port|no port named|port "[^"]*" not found/i.test(said)) {
    return `its port "${port}" is no port of the container`;
  }
  const failure = connectionFailure(said);
  if (failure) return `${actionText(probe ?? {})}: ${failure}${portHint(failure, port, container)}`;
  if (probe?.exec) {
    if (/executable file not found|unable to start container process|exec failed/i.test(said)) {
      return `its command "${probe.exec.command?.[0]}" is not in the image`;
    }
    return `its command "${probe.exec.command?.[0]}" failed${said.trim() ? `: ${oneLine(said, 120)}` : ""}`;
  }
  return oneLine(said, 160);
}

function statusHint(status: string): string {
  if (status === "400") return ": it may expect HTTPS (scheme: HTTPS) or another Host header";
  if (status === "404") return ": the path does not exist";
  if (status === "401" || status === "403") return ": it asks for credentials";
  return status.startsWith("5") ? ": the program reports an error" : "";
}

/** The ports that a container declares, if a probe finds no server at another one. */
function portHint(
  failure: string,
  port: number | string | undefined,
  { ports }: Container,
): string {
  const declared = (ports ?? []).map(({ containerPort }) => containerPort);
  if (!failure.includes("refused") || typeof port !== "number" || declared.length === 0) return "";
  return declared.includes(port) ? "" : ` (the container declares port ${declared.join(", ")})`;
}
