import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { RegistryFlags } from "./flags.ts";

/** Interval (ms) at which files of certificates are read again: they are renewed long before they expire. */
const reloadMs = 60_000;
const retryMs = 10_000;
/** Limit of connections (count). */
const maxConnections = 500;

/** The group of nodes, in their certificates. */
const nodes = "system:nodes";

interface PeerOptions {
  readonly flags: RegistryFlags;
  readonly clock: Clock;
  readonly log: Logger;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves other nodes, which only read, until the signal aborts. */
export async function servePeers(
  { flags, clock, log }: PeerOptions,
  handle: Handle,
  signal: AbortSignal,
): Promise<void> {
  const { "peer-bind-address": host, "peer-port": port } = flags;
  if (host === "") return;
  const server = createServer(await material(flags), (request, response) => {
    if (isNode(request)) return handle(request, response);
    response.writeHead(403).end();
  });
  server.maxConnections = maxConnections;
  signal.addEventListener("abort", () => {
    server.close();
    server.closeAllConnections();
  });
  for (let isLogged = false; !signal.aborted; isLogged = true) {
    const error = await listening(server, port, host);
    if (!error) break;
    if (!isLogged) log.error(error, "failed to listen for other nodes, trying again", { port });
    await clock.sleep(retryMs, signal);
  }
  const failed = (error: unknown) => log.error(error, "failed to read the certificate");
  const times = { everyMs: reloadMs, firstAfterMs: reloadMs };
  await repeat(
    async () => server.setSecureContext(await material(flags)),
    { clock, ...times, failed },
    signal,
  );
}

async function material(flags: RegistryFlags) {
  const [cert, key, ca] = await Promise.all(
    ([flags["tls-cert-file"], flags["tls-private-key-file"], flags["client-ca-file"]] as const).map(
      (file) => readFile(file),
    ),
  );
  if (!cert || !key || !ca) throw new Error("certificate, key or authority is missing");
  return {
    cert,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2" as const,
  };
}

/** The server's authority has signed the certificate; others than nodes have such, too. */
function isNode({ socket }: IncomingMessage): boolean {
  const { O: groups = "" } = (socket as TLSSocket).getPeerCertificate().subject ?? {};
  return [groups].flat().includes(nodes);
}

function listening(server: Server, port: number, host: string): Promise<Error | undefined> {
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  server.once("error", resolve);
  server.listen(port, host, () => {
    server.off("error", resolve);
    server.on("error", () => undefined);
    resolve(undefined);
  });
  return promise;
}
