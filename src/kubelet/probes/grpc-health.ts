/** Upstream: pkg/probe/grpc/grpc.go. */
import { formatDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { GrpcError, service, unary } from "#/std/grpc/grpc.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { serviceClient } from "#/std/grpc/grpc-client.ts";
import { message } from "#/std/protobuf/protobuf.ts";
import { enumeration, string } from "#/std/protobuf/protobuf-field.ts";

const health = service("grpc.health.v1.Health", {
  Check: unary(
    message({ service: string(1) }),
    message({
      status: enumeration(1, { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 }),
    }),
  ),
});

interface GrpcHealthRequest {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly timeoutMs: number;
  readonly tls: boolean;
}

/** Requests a service's health; undefined if it serves, else the failure. */
export async function checkGrpcHealth(request: GrpcHealthRequest): Promise<string | undefined> {
  const { host, port, timeoutMs } = request;
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const channel = openChannel(
    request.tls
      ? { address: `https://${address}`, tls: { insecure: true } }
      : { address: `http://${address}` },
  );
  try {
    const client = serviceClient(health, channel);
    const { status } = await client.Check({ service: request.service }, { timeoutMs });
    if (status === "SERVING") return undefined;
    return `service unhealthy (responded with ${goQuote(String(status))})`;
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return failureText(error, address, formatDuration(timeoutMs));
  } finally {
    channel.close();
  }
}

function failureText({ code, details }: GrpcError, address: string, timeout: string): string {
  switch (code) {
    case "UNIMPLEMENTED":
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`;
    case "DEADLINE_EXCEEDED":
      return `timeout: health rpc did not complete within ${timeout}`;
    case "UNAVAILABLE":
      return `timeout: failed to connect service ${goQuote(address)} within ${timeout}: context deadline exceeded`;
    default:
      return `error: health rpc probe failed: rpc error: code = ${titled(code)} desc = ${details}`;
  }
}

/** NOT_FOUND as Go writes it: NotFound. */
function titled(code: string): string {
  return code
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
