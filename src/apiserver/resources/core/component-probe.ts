import { request } from "node:https";

/** The health that a component reports. */
interface ComponentHealth {
  readonly healthy: boolean;
  readonly message: string;
  readonly error?: string;
}

/** A component with a health endpoint. */
export interface ComponentProbe {
  readonly name: string;
  check(): Promise<ComponentHealth>;
}

/** Timeout of a health request, as upstream. */
const timeoutMs = 20_000;

/**
 * Requests /healthz of a component on this machine. Its certificate is self-signed and not verified, as upstream.
 *
 * Upstream: pkg/registry/core/componentstatus/validator.go.
 */
function healthzProbe(name: string, port: number): ComponentProbe {
  const url = `https://127.0.0.1:${port}/healthz`;
  return { name, check: () => requestHealth(url) };
}

/** The components that upstream probes, at their default ports. */
export const defaultComponentProbes: readonly ComponentProbe[] = [
  healthzProbe("controller-manager", 10257),
  healthzProbe("scheduler", 10259),
];

function requestHealth(url: string): Promise<ComponentHealth> {
  return new Promise((resolve) => {
    const failed = (cause: string): void =>
      resolve({ healthy: false, message: `Get "${url}": ${cause}` });
    const outgoing = request(url, { rejectUnauthorized: false, timeout: timeoutMs }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", (error) => failed(error.message));
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 400) resolve({ healthy: true, message: text });
        else {
          const message = `HTTP probe failed with statuscode: ${status}`;
          resolve({ healthy: false, message });
        }
      });
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("context deadline exceeded")));
    outgoing.on("error", (error: NodeJS.ErrnoException) => failed(goDialError(error, url)));
    outgoing.end();
  });
}

function goDialError({ code, message }: NodeJS.ErrnoException, url: string): string {
  const { host } = new URL(url);
  return code === "ECONNREFUSED" ? `dial tcp ${host}: connect: connection refused` : message;
}
