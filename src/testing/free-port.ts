import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { systemRandom } from "#/std/base/random.ts";

/** Below the ephemeral ports of a machine and above well-known ports, outside of node ports. */
const lowest = 20_000;
const count = 10_000;
let next = Math.floor(systemRandom() * count);

/**
 * A free port on the loopback addresses, for TCP and UDP, outside the ephemeral ports. It is
 * reserved for the lifetime of this process: parallel tests get others.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + (next++ % count);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
}

/**
 * Reserves a port with an abstract socket, which ends with the process; false if it is reserved.
 */
async function claim(port: number): Promise<boolean> {
  const socket = createServer().unref();
  try {
    socket.listen(`\0k8ts-test-port-${port}`);
    await once(socket, "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
}

async function isFree(port: number): Promise<boolean> {
  const tcp = createServer();
  const udp = createSocket("udp4");
  try {
    tcp.listen(port);
    await once(tcp, "listening");
    udp.bind(port);
    await once(udp, "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  } finally {
    tcp.close();
    await udp[Symbol.asyncDispose]();
  }
}
