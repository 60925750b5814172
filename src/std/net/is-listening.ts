import { hexPort, inKernelForm } from "./find-peer-user.ts";

/** The state of a socket that accepts connections. */
const listening = "0A";

/**
 * Whether a program listens at a port of an address, or of all addresses, in the text of /proc/net/tcp, or tcp6 for an address
 * of IPv6; pure.
 */
export function isListening(text: string, port: number, host: string): boolean {
  const own = inKernelForm(host, "plain") ?? "";
  const all = "0".repeat(own.length);
  return [own, all].some((address) =>
    text.includes(`: ${address}:${hexPort(port)} ${all}:0000 ${listening} `),
  );
}
