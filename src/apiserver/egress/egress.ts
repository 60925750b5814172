import { readFileSync } from "node:fs";
import type { Agent as PlainAgent } from "node:http";
import { type AgentOptions, Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import { goQuote } from "#/std/go-quote.ts";
import { Agent as HttpAgent } from "#/std/node-http.ts";
import {
  type EgressConnection,
  type EgressTls,
  parseEgressConfiguration,
} from "./egress-configuration.ts";
import { connectThrough, type ProxyAddress } from "./http-connect.ts";

/** Makes a connection to host:port. */
export type Dial = (address: string, signal?: AbortSignal) => Promise<Duplex>;

/** How the server connects to others; directly where there is nothing. */
export interface Egress {
  /** To nodes, pods and services. */
  readonly cluster?: Dial;
  /** To webhooks and the like outside the cluster. */
  readonly controlPlane?: Dial;
}

/** Reads --egress-selector-config-file. Throws if it can't be had, or makes no sense. */
export function openEgress(file: string): Egress {
  if (file === "") return {};
  const selections = parseEgressConfiguration(readText(file));
  const dials = new Map(
    selections.map(({ name, connection }) => [name.toLowerCase(), dialFor(connection)]),
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
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isMissing ? `open ${file}: no such file or directory` : (error as Error).message;
    throw new Error(
      `failed to read egress selector config: unable to read egress selector configuration from ${goQuote(file)} [${reason}]`,
      { cause: error },
    );
  }
}

function dialFor({ proxyProtocol, transport }: EgressConnection): Dial | undefined {
  if (proxyProtocol === "Direct") return undefined;
  const socket = transport?.uds?.udsName;
  if (proxyProtocol === "GRPC") {
    // Loaded only where it is wanted: gRPC takes its time.
    return async (address, signal) => {
      const { dialKonnectivity } = await import("./konnectivity.ts");
      return dialKonnectivity(socket ?? "", address, signal);
    };
  }
  const proxy = socket ? { path: socket } : tcpProxy(transport?.tcp ?? {});
  return (address, signal) => connectThrough(proxy, address, signal);
}

function tcpProxy(tcp: { readonly url?: string; readonly tlsConfig?: EgressTls }): ProxyAddress {
  const { protocol, hostname, port } = new URL(tcp.url ?? "");
  const secure = protocol === "https:";
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const to = { host, port: Number(port) || (secure ? 443 : 80) };
  return secure ? { ...to, tls: tlsOf(tcp.tlsConfig ?? {}) } : to;
}

function tlsOf({ caBundle, clientCert, clientKey, tlsServerName }: EgressTls): ConnectionOptions {
  return {
    ...(caBundle ? { ca: readFileSync(caBundle) } : {}),
    ...(clientCert ? { cert: readFileSync(clientCert) } : {}),
    ...(clientKey ? { key: readFileSync(clientKey) } : {}),
    ...(tlsServerName ? { servername: tlsServerName } : {}),
  };
}

/** What an agent says of a connection that it wants. */
interface Wanted {
  readonly host?: string | null | undefined;
  readonly port?: string | number | null | undefined;
}

type Connected = (error: Error | null, socket: Duplex) => void;

const addressOf = ({ host, port }: Wanted): string =>
  host?.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

/** Agents whose connections go through a proxy; plain ones without. */
export function httpAgent(options: AgentOptions, dial: Dial | undefined): PlainAgent {
  const agent = new HttpAgent(options);
  if (!dial) return agent;
  return Object.assign(agent, {
    createConnection(wanted: Wanted, connected: Connected) {
      dial(addressOf(wanted)).then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, undefined as never),
      );
    },
  });
}

/** The same for HTTPS. */
export function httpsAgent(options: AgentOptions, dial: Dial | undefined): HttpsAgent {
  const agent = new HttpsAgent(options);
  if (!dial) return agent;
  return Object.assign(agent, {
    createConnection(wanted: Wanted & ConnectionOptions, connected: Connected) {
      dial(addressOf(wanted)).then(
        (socket) => connected(null, tlsConnect({ ...wanted, socket })),
        (error: Error) => connected(error, undefined as never),
      );
    },
  });
}
