/** Upstream: staging/src/k8s.io/client-go/tools/portforward/portforward.go. */
import { createServer, isIP, isIPv6, type Server, type Socket } from "node:net";
import { openPortForward, type PortForward } from "#/client/streaming/port-forward.ts";
import { formatText } from "#/std/log/log-format.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import type { Context } from "../command/context.ts";
import { isTurnedOff, upgradeFailure } from "./upgrade-failure.ts";

export interface ForwardedPort {
  /** 0 for any free port. */
  readonly local: number;
  readonly remote: number;
}

/** Parses `5000`, `8080:80` and `:80`. */
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

interface Forwarding {
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly string[];
  readonly ports: readonly ForwardedPort[];
}

/** Listens on local ports and forwards each connection to the Pod, until interrupted. */
export async function forwardPorts(context: Context, forwarding: Forwarding): Promise<void> {
  const addresses = listenAddresses(forwarding.addresses);
  const pod = await open(context, forwarding);
  const servers: Server[] = [];
  try {
    let isListening = false;
    for (const port of forwarding.ports) {
      const opened: Opened = { servers, local: port.local };
      try {
        await listenAll(context, { addresses, port, pod }, opened);
        isListening = true;
      } catch (error) {
        context.err.write(`Unable to listen on port ${opened.local}: ${messageOf(error)}\n`);
      }
    }
    if (!isListening) {
      const shown = forwarding.ports.map(({ local, remote }) => `{${local} ${remote}}`).join(" ");
      throw new CommandError(`unable to listen on any of the requested ports: [${shown}]`);
    }
    await untilOver(context, pod);
  } finally {
    for (const server of servers) server.close();
    pod.close();
  }
}

async function open(context: Context, { namespace, name }: Forwarding): Promise<PortForward> {
  const request = {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/pods/${name}/portforward`,
    headers: { accept: "*/*" },
    signal: context.signal,
  };
  const webSocket = !isTurnedOff(context.env["KUBECTL_PORT_FORWARD_WEBSOCKETS"]);
  try {
    return await openPortForward(await context.cluster.transport(), request, { webSocket });
  } catch (error) {
    const text = messageOf(upgradeFailure(error));
    throw new CommandError(`error upgrading connection: ${text}`, { cause: error });
  }
}

async function untilOver(context: Context, pod: PortForward): Promise<void> {
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
}

interface ListenAddress {
  readonly address: string;
  /** True if the other address of localhost suffices. */
  readonly mayFail: boolean;
}

/** The addresses to listen on, in a fixed order; localhost has two, of which one may be missing. */
function listenAddresses(given: readonly string[]): ListenAddress[] {
  const found = new Map<string, ListenAddress>();
  for (const address of given) {
    if (address === "localhost") {
      for (const own of ["127.0.0.1", "::1"]) {
        if (!found.has(own)) found.set(own, { address: own, mayFail: true });
      }
    } else if (isIP(address) !== 0) found.set(address, { address, mayFail: false });
    else throw new CommandError(`${address} is not a valid IP`);
  }
  return [...found.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

interface Listening {
  readonly addresses: readonly ListenAddress[];
  readonly port: ForwardedPort;
  readonly pod: PortForward;
}

interface Opened {
  readonly servers: Server[];
  /** The port of the first server, if any free port was requested. */
  local: number;
}

async function listenAll(
  context: Context,
  { addresses, port, pod }: Listening,
  opened: Opened,
): Promise<void> {
  const failures: string[] = [];
  let [needed, spared] = [0, 0];
  for (const { address, mayFail } of addresses) {
    const shown = isIPv6(address) ? `[${address}]` : address;
    try {
      const server = await listen(address, opened.local, (socket) => {
        void carry(context, pod, port.remote, socket);
      });
      opened.local = (server.address() as { port: number }).port;
      opened.servers.push(server);
      if (mayFail) spared++;
      context.out.write(`Forwarding from ${shown}:${opened.local} -> ${port.remote}\n`);
    } catch (error) {
      if (!mayFail) needed++;
      const family = isIPv6(address) ? "tcp6" : "tcp4";
      failures.push(
        `unable to create listener: Error listen ${family} ${shown}:${opened.local}: bind: ${bindFailure(error)}`,
      );
    }
  }
  const hasLocalhost = addresses.some(({ mayFail }) => mayFail);
  if (needed === 0 && (!hasLocalhost || spared > 0)) return;
  throw new CommandError(
    `Listeners failed to create with the following errors: [${failures.join(" ")}]`,
  );
}

const bindFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "cannot assign requested address",
  EACCES: "permission denied",
};

const bindFailure = (error: unknown): string =>
  bindFailures[(error as NodeJS.ErrnoException).code ?? ""] ?? messageOf(error);

function listen(host: string, port: number, connected: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, connected);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => resolve(server));
  });
}

/** Joins a local connection with one to the Pod; if the Pod refuses it, forwarding ends. */
async function carry(
  context: Context,
  pod: PortForward,
  port: number,
  socket: Socket,
): Promise<void> {
  const { localPort = 0 } = socket;
  context.out.write(`Handling connection for ${localPort}\n`);
  socket.on("error", () => socket.destroy());
  const failed = (what: string, error: unknown): void => {
    const fields = { localPort, remotePort: port };
    context.err.write(logLine(context, { what, error, fields }));
    socket.destroy();
  };
  try {
    const { data, error } = await pod.connect(port);
    data.on("error", () => socket.destroy());
    socket.once("close", () => data.destroy());
    socket.pipe(data);
    data.pipe(socket);
    const problem = await error;
    if (problem === "") return;
    failed("An error occurred forwarding", problem);
    pod.close();
  } catch (error) {
    failed("Error creating error stream", error);
  }
}

interface Failure {
  readonly what: string;
  readonly error: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A failure in the format of upstream's log. */
function logLine({ clock }: Context, { what, error, fields }: Failure): string {
  return formatText({
    severity: "error",
    level: 0,
    time: clock.now(),
    pid: process.pid,
    logger: "UnhandledError",
    caller: "portforward.go:549",
    message: what,
    error: messageOf(error),
    fields,
  });
}
