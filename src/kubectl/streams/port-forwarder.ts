/** Upstream: k8s.io/client-go/tools/portforward/portforward.go. */
import { createServer, isIPv6, type Server, type Socket } from "node:net";
import { openPortForward, type PortForward } from "#/client/streaming/port-forward.ts";
import type { Context } from "../context.ts";
import { CommandError, messageOf } from "../errors.ts";

export interface ForwardedPort {
  /** 0 for any. */
  readonly local: number;
  readonly remote: number;
}

/** Reads `5000`, `8080:80` and `:80`. */
export function parsePorts(texts: readonly string[]): ForwardedPort[] {
  return texts.map((text) => {
    const parts = text.split(":");
    const [first = "", second] = parts;
    if (parts.length > 2) throw new CommandError(`invalid port format '${text}'`);
    const local = second !== undefined && first === "" ? "0" : first;
    return {
      local: portNumber(local, text, "local"),
      remote: portNumber(second ?? first, text, "remote"),
    };
  });
}

function portNumber(text: string, _whole: string, which: "local" | "remote"): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65535) {
    const reason = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
    throw new CommandError(
      `error parsing ${which} port '${text}': strconv.ParseUint: parsing "${text}": ${reason}`,
    );
  }
  if (which === "remote" && value === 0) throw new CommandError("remote port must be > 0");
  return value;
}

export interface Forwarding {
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly string[];
  readonly ports: readonly ForwardedPort[];
}

/** Listens on local ports and carries each connection to the Pod, until it is interrupted. */
export async function forwardPorts(context: Context, forwarding: Forwarding): Promise<void> {
  const servers: Server[] = [];
  const pod = await openPortForward(await context.cluster.transport(), {
    method: "GET",
    path: `/api/v1/namespaces/${forwarding.namespace}/pods/${forwarding.name}/portforward`,
    headers: { accept: "*/*" },
    signal: context.signal,
  });
  try {
    for (const port of forwarding.ports) {
      servers.push(...(await listenAll(context, forwarding, port, pod)));
    }
    const interrupted = new Promise<"interrupted">((resolve) => {
      if (context.signal.aborted) resolve("interrupted");
      context.signal.addEventListener("abort", () => resolve("interrupted"), { once: true });
    });
    const lost = pod.ended.then(
      () => "lost" as const,
      () => "lost" as const,
    );
    if ((await Promise.race([interrupted, lost])) === "lost") {
      throw new CommandError("lost connection to pod");
    }
  } finally {
    for (const server of servers) server.close();
    pod.close();
  }
}

/** localhost stands for both of its addresses, of which one may be missing. */
async function listenAll(
  context: Context,
  forwarding: Forwarding,
  port: ForwardedPort,
  pod: PortForward,
): Promise<Server[]> {
  const addresses = forwarding.addresses.flatMap((each) =>
    each === "localhost" ? ["127.0.0.1", "::1"] : [each],
  );
  const servers: Server[] = [];
  let { local } = port;
  let failure: unknown;
  for (const address of addresses) {
    try {
      const server = await listen(
        address,
        local,
        (socket) => void carry(context, pod, port.remote, socket),
      );
      local = (server.address() as { port: number }).port;
      servers.push(server);
      const shown = isIPv6(address) ? `[${address}]` : address;
      context.out.write(`Forwarding from ${shown}:${local} -> ${port.remote}\n`);
    } catch (error) {
      failure = error;
      const shown = isIPv6(address) ? `[${address}]` : address;
      if (!forwarding.addresses.includes("localhost")) {
        context.err.write(`Unable to listen on port ${local}: ${messageOf(error)}\n`);
      } else if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
        context.err.write(
          `Unable to listen on port ${local}: Listeners failed to create with the following errors: [unable to create listener: Error listen tcp4 ${shown}:${local}: bind: address already in use]\n`,
        );
      }
    }
  }
  if (servers.length === 0) {
    throw new CommandError(
      `unable to listen on any of the requested ports: [{${local} ${port.remote}}]`,
      {
        cause: failure,
      },
    );
  }
  return servers;
}

function listen(host: string, port: number, connected: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, connected);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => resolve(server));
  });
}

async function carry(
  context: Context,
  pod: PortForward,
  port: number,
  socket: Socket,
): Promise<void> {
  context.out.write(`Handling connection for ${socket.localPort}\n`);
  socket.on("error", () => socket.destroy());
  try {
    const { data, error } = await pod.connect(port);
    data.on("error", () => socket.destroy());
    socket.once("close", () => data.destroy());
    socket.pipe(data);
    data.pipe(socket);
    const problem = await error;
    if (problem !== "") {
      context.err.write(
        `E an error occurred forwarding ${socket.localPort} -> ${port}: ${problem}\n`,
      );
      socket.destroy();
    }
  } catch (error) {
    context.err.write(`error: ${messageOf(error)}\n`);
    socket.destroy();
  }
}
