import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { type ChannelCredentials, Client, credentials } from "@grpc/grpc-js";

export interface ChannelOptions {
  /** `http://host:port`, `https://host:port` or `unix:///path`. */
  readonly address: string;
  /** For https; without a CA those of the machine are trusted. */
  readonly tls?: TlsMaterial | undefined;
  /** During calls, a ping is sent after so long without news of the peer; default never. */
  readonly keepaliveMs?: number;
  /** The connection is given up when a ping is not answered within this; default 20 s. */
  readonly keepaliveTimeoutMs?: number;
  /** Larger messages are refused with RESOURCE_EXHAUSTED; default 4 MiB. */
  readonly maxReceiveBytes?: number;
}

/** PEM. */
export interface TlsMaterial {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Whoever answers is taken for the server. */
  readonly insecure?: boolean;
}

/** A connection to one server, made when first used and made anew when it breaks. */
export interface Channel {
  readonly connection: Client;
  readonly closed: boolean;
  /** No new calls; those under way go on. */
  close(): void;
}

const DEFAULT_MAX_RECEIVE_BYTES = 4 << 20;
const DEFAULT_KEEPALIVE_TIMEOUT_MS = 20_000;

/** A broken connection is tried again after the first, then ever more rarely up to the second. */
const RECONNECT_MS = { first: 50, max: 2_000 };

/** Large messages come in without waiting for the reader every 64 KiB. */
const FLOW_CONTROL_BYTES = 1 << 20;

/** Opens no connection yet. Throws TypeError for an address it does not understand. */
export function openChannel(options: ChannelOptions): Channel {
  const { target, host } = parseAddress(options.address);
  const byIp = host !== undefined && isIP(host) !== 0;
  const security =
    host === undefined ? credentials.createInsecure() : tlsCredentials(host, options.tls);
  const connection = new Client(target, security, {
    ...(byIp && { "grpc.ssl_target_name_override": NAME_FOR_IP }),
    // One connection per channel, no retries and no proxies behind our back.
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    "grpc.enable_channelz": 0,
    "grpc.max_send_message_length": -1,
    "grpc.max_receive_message_length": options.maxReceiveBytes ?? DEFAULT_MAX_RECEIVE_BYTES,
    "grpc.initial_reconnect_backoff_ms": RECONNECT_MS.first,
    "grpc.max_reconnect_backoff_ms": RECONNECT_MS.max,
    "grpc-node.flow_control_window": FLOW_CONTROL_BYTES,
    "grpc.keepalive_time_ms": options.keepaliveMs ?? -1,
    "grpc.keepalive_timeout_ms": options.keepaliveTimeoutMs ?? DEFAULT_KEEPALIVE_TIMEOUT_MS,
  });
  let closed = false;
  return {
    connection,
    get closed() {
      return closed;
    },
    close() {
      closed = true;
      connection.close();
    },
  };
}

/**
 * Node refuses an IP address as the name of a TLS server, and the library sets one; so servers addressed by IP are
 * asked for this name, and their certificate is checked for the IP address all the same.
 */
const NAME_FOR_IP = "ip.invalid";

function tlsCredentials(host: string, tls: TlsMaterial = {}): ChannelCredentials {
  const { ca = null, cert = null, key = null, insecure = false } = tls;
  if (insecure) {
    const anybody = { checkServerIdentity: () => undefined, rejectUnauthorized: false };
    return credentials.createSsl(ca, key, cert, anybody);
  }
  const identity = {
    checkServerIdentity: (_: string, peer: PeerCertificate) => checkServerIdentity(host, peer),
  };
  return credentials.createSsl(ca, key, cert, identity);
}

/** The host is set for TLS only. */
function parseAddress(address: string): { target: string; host?: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const { hostname = "", port = "", pathname = "" } = url ?? {};
  if (url?.protocol === "http:") return { target: `dns:${hostname}:${port || 80}` };
  if (url?.protocol === "https:") {
    return { target: `dns:${hostname}:${port || 443}`, host: hostname.replace(/^\[|\]$/g, "") };
  }
  if (url?.protocol === "unix:" && pathname) return { target: `unix:${pathname}` };
  throw new TypeError(`"${address}" is no address: want http://, https:// or unix:///`);
}
