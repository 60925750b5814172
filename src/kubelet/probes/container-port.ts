import type { Container } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/**
 * The number of a port, which may be given by its name in the container.
 *
 * Upstream: pkg/probe/util.go.
 */
export function containerPort(port: number | string, container: Container): number {
  const number = typeof port === "number" ? port : portNamed(port, container);
  if (number > 0 && number < 65536) return number;
  throw new Error(`invalid port number: ${number}`);
}

function portNamed(name: string, container: Container): number {
  const found = container.ports?.find((port) => port.name === name);
  if (found !== undefined) return found.containerPort;
  throw new Error(`port ${goQuote(name)} not found`);
}
