import type { Socket } from "node:net";
import { parseNetIp } from "./ip.ts";

/** The state of a socket that is connected and open. A closed one belongs to the kernel, which is root. */
const established = "01";
/** The ends of a connection as this process has it. */
export type Ends = Pick<Socket, "remoteAddress" | "remotePort" | "localAddress" | "localPort">;

/** The user of the socket at the other end, in the text of these files; pure. */
export function findPeerUser(text: string, ends: Ends): number | undefined {
  const { remoteAddress = "", remotePort, localAddress = "", localPort } = ends;
  if (!remotePort || !localPort) return undefined;
  for (const [client, server] of [
    [inKernelForm(remoteAddress, "plain"), inKernelForm(localAddress, "plain")],
    // A client of IPv4 may use a socket of IPv6.
    [inKernelForm(remoteAddress, "mapped"), inKernelForm(localAddress, "mapped")],
  ]) {
    if (!client || !server) continue;
    const wanted = `: ${client}:${hexPort(remotePort)} ${server}:${hexPort(localPort)} ${established} `;
    const at = text.indexOf(wanted);
    if (at < 0) continue;
    const [, , , uid = ""] = text.slice(at + wanted.length).split(/ +/, 4);
    return /^\d+$/.test(uid) ? Number(uid) : undefined;
  }
  return undefined;
}

export const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");

/** An address as these files have it: words of 32 bits, each in the machine's order of bytes. */
export function inKernelForm(address: string, form: "plain" | "mapped"): string | undefined {
  const ip = parseNetIp(address);
  if (!ip || (form === "mapped" && ip.family === 6)) return undefined;
  const value = form === "mapped" ? ip.value | (0xffffn << 32n) : ip.value;
  const digits = form === "plain" && ip.family === 4 ? 8 : 32;
  const bytes = Buffer.from(value.toString(16).padStart(digits, "0"), "hex");
  return bytes.swap32().toString("hex").toUpperCase();
}
