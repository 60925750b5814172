import { tlsFailure } from "./tls-failure.ts";

/** Why a server can't be reached or trusted, with Go's message. */
export function dialFailure(error: unknown, address: string): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const { code = "", message = "" } = cause as { code?: string; message?: string };
  const failure = socketFailures[code];
  if (failure !== undefined) return `dial tcp ${reached(cause, address)}: ${failure}`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostIn(address)}: no such host`;
  if (code === "EAI_AGAIN") return `dial tcp: lookup ${hostIn(address)}: server misbehaving`;
  if (code === "ECONNRESET" || code === "EPIPE") return "EOF";
  return tlsFailure(cause, hostIn(address)) ?? message;
}

const socketFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  EINVAL: "connect: invalid argument",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  ETIMEDOUT: "i/o timeout",
};

/** The address that was tried, if the system reports it, as names have several. */
function reached(cause: unknown, address: string): string {
  const { address: ip, port } = cause as { address?: string; port?: number };
  if (ip === undefined || port === undefined) return address;
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function hostIn(address: string): string {
  return address.slice(0, address.lastIndexOf(":")).replace(/^\[|\]$/g, "");
}
