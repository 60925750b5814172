import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { systemRandom } from "#/std/base/random.ts";

/** Below the ports that a machine gives to outgoing connections and above those of programs, outside of node ports. */
const lowest = 20_000;
const count = 10_000;
let next = Math.floor(systemRandom() * count);

/**
 * A port of the loopback addresses that nobody listens on, with TCP or UDP, and that no connection will be given. It is
 * this process's as long as it lives: tests that run at the same time get others.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + (next++ % count);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
}

/** Claims a port with a socket that has a name, no file, and ends with the process; false if another one has it. */
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
