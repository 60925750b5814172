import { networkInterfaces } from "node:os";
import { type Ip, isLoopback as isLoopbackIp, isUnspecified, parseNetIp } from "#/std/net/ip.ts";
import type { ApiServerFlags } from "./index.ts";

/**
 * Address of this server for clients in the cluster: that of the flags, or the first that isn't loopback.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/net/interface.go (ResolveBindAddress).
 */
export function advertisedAddress(flags: ApiServerFlags): string {
  if (flags["advertise-address"]) return flags["advertise-address"];
  const bound = flags["bind-address"];
  if (!isUnspecified(parsed(bound)) && !isLoopback(bound)) return bound;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return (
    addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1"
  );
}

/** The address that is published to clients, with its port. */
export function externalAddress(flags: ApiServerFlags): string {
  const host = flags["external-hostname"] || advertisedAddress(flags);
  if (/^[^:]+:\d+$|^\[.*\]:\d+$/.test(host)) return host;
  return `${host.includes(":") ? `[${host}]` : host}:${flags["secure-port"]}`;
}

/** Whether other machines cannot reach an address. */
export const isLoopback = (address: string): boolean => isLoopbackIp(parsed(address));

/** An address of a flag, which was checked before. */
const parsed = (address: string): Ip => parseNetIp(address) ?? { family: 4, value: 0n };
