import { readFileSync } from "node:fs";
import type { Agent as PlainAgent } from "node:http";
import type { AgentOptions, Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { Agent as HttpAgent } from "#/std/net/node-http.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { connectTls, type TlsClientOptions } from "#/std/tls/connect-tls.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { TrustingAgent, type TrustingAgentOptions } from "#/std/tls/trusting-agent.ts";
import {
  type EgressConnection,
  type EgressTls,
  parseEgressConfiguration,
} from "./egress-configuration.ts";
import { connectThrough, type ProxyAddress } from "./http-connect.ts";

/** Makes a connection to host:port; rejects if that takes too long. */
export type Dial = (address: string) => Promise<Duplex>;

/** Limit of the time for connecting (ms), as of Go's default transport. */
const dialTimeoutMs = 30_000;

/** Outgoing connections of the server; direct without a configuration. */
export interface Egress {
  /** To nodes, pods and services. */
  readonly cluster?: Dial;
  /** To webhooks and the like outside the cluster. */
  readonly controlPlane?: Dial;
}

/** Reads --egress-selector-config-file. Throws if it can't be read, or is invalid. */
export function openEgress(file: string, clock: Clock = systemClock): Egress {
  if (file === "") return {};
  const selections = parseEgressConfiguration(readText(file));
  const dials = new Map(
    selections.map(({ name, connection }) => [name.toLowerCase(), dialFor(connection, clock)]),
  );
  const { cluster, controlplane, etcd } = Object.fromEntries(dials);
  if (etcd) throw new Error('the egress selection "etcd" can only be Direct here');
  return {
    ...(cluster ? { cluster } : {}),
    ...(controlplane ? { controlPlane: controlplane } : {}),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(
      `failed to read egress selector config: unable to read egress selector configuration from ${goQuote(file)} [${openFailure(file, error)}]`,
      { cause: error },
    );
  }
}

function dialFor({ proxyProtocol, transport }: EgressConnection, clock: Clock): Dial | undefined {
  if (proxyProtocol === "Direct") return undefined;
  const socket = transport?.uds?.udsName;
  if (proxyProtocol === "GRPC") {
    // Loaded on demand: loading gRPC takes time.
    return limited(clock, async (address, signal) => {
      const { dialKonnectivity } = await import("./konnectivity.ts");
      return dialKonnectivity(socket ?? "", address, signal);
    });
  }
  const proxy = socket ? { path: socket } : tcpProxy(transport?.tcp ?? {});
  return limited(clock, (address, signal) => connectThrough(proxy, address, signal));
}

/** Aborts after a time limit, but never after connecting: then the signal won't abort any more. */
function limited(
  clock: Clock,
  dial: (address: string, signal: AbortSignal) => Promise<Duplex>,
): Dial {
  return async (address) => {
    const giveUp = new AbortController();
    using _timer = clock.setTimer(dialTimeoutMs, () => giveUp.abort(new Error("i/o timeout")));
    return await dial(address, giveUp.signal);
  };
}

function tcpProxy(tcp: { readonly url?: string; readonly tlsConfig?: EgressTls }): ProxyAddress {
  const { protocol, hostname, port } = new URL(tcp.url ?? "");
  const secure = protocol === "https:";
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const to = { host, port: Number(port) || (secure ? 443 : 80) };
  return secure ? { ...to, tls: tlsOf(tcp.tlsConfig ?? {}) } : to;
}

function tlsOf({ caBundle, clientCert, clientKey, tlsServerName }: EgressTls): TlsClientOptions {
  return {
    ...(caBundle ? { trust: trustOf(readFileSync(caBundle)) } : {}),
    ...(clientCert ? { cert: readFileSync(clientCert) } : {}),
    ...(clientKey ? { key: readFileSync(clientKey) } : {}),
    ...(tlsServerName ? { servername: tlsServerName } : {}),
  };
}

/** An agent's options of a connection. */
interface Wanted {
  readonly host?: string | null | undefined;
  readonly port?: string | number | null | undefined;
}

type Connected = (error: Error | null, socket: Duplex) => void;

const addressOf = ({ host, port }: Wanted): string =>
  host?.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

/** Agents with connections through a proxy; plain ones without. */
export function httpAgent(options: AgentOptions, dial: Dial | undefined): PlainAgent {
  const agent = new HttpAgent(options);
  return dial
    ? Object.assign(agent, { createConnection: through(dial, (socket) => socket) })
    : agent;
}

/** The same for HTTPS. */
export function httpsAgent(options: TrustingAgentOptions, dial: Dial | undefined): HttpsAgent {
  const agent = new TrustingAgent(options);
  return dial ? Object.assign(agent, { createConnection: through(dial, secured) }) : agent;
}

/** An agent's createConnection() that dials, and continues on the connection. */
function through<T extends Wanted>(dial: Dial, finish: (socket: Duplex, wanted: T) => Duplex) {
  return (wanted: T, connected: Connected): void => {
    dial(addressOf(wanted))
      .then((socket) => finish(socket, wanted))
      .then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, undefined as never),
      );
  };
}

/** TLS on a connection, which is closed if TLS can't be set up: a key may not match its certificate. */
function secured(socket: Duplex, wanted: Wanted & TlsClientOptions): Duplex {
  try {
    return connectTls({ ...wanted, socket });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
