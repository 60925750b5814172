import { isIP, type Socket, connect as tcpConnect } from "node:net";
import { Http2Client } from "../http2/http2-client.ts";
import { openSocketPath, type SocketPath } from "../net/socket-path.ts";
import { exponentialBackoff } from "../time/backoff.ts";
import { type Clock, systemClock, type Timer } from "../time/clock.ts";
import { connectTls } from "../tls/connect-tls.ts";
import { trustOf } from "../tls/trust.ts";
import { GrpcError } from "./grpc.ts";

interface ChannelOptions {
  /** `http://host:port`, `https://host:port`, `unix:///path` or `unix-abstract:name`. */
  readonly address: string;
  /** For https; without a CA the system's are trusted. */
  readonly tls?: TlsMaterial | undefined;
  /** Idle time during calls before a ping; default never. */
  readonly keepaliveMs?: number;
  /** Limit of the time to a ping's response, after which the connection is closed; default 20 s. */
  readonly keepaliveTimeoutMs?: number;
  /** Limit of a message; larger ones fail with RESOURCE_EXHAUSTED; default 4 MiB. */
  readonly maxReceiveBytes?: number;
  readonly clock?: Clock;
}

/** PEM. */
export interface TlsMaterial {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Whether verification of the server is skipped. */
  readonly insecure?: boolean;
}

/** A call that waits for a connection. */
export interface WaitingCall {
  begin(connection: Http2Client): void;
  refuse(error: GrpcError): void;
}

const defaultMaxReceiveBytes = 4 << 20;
const defaultKeepaliveTimeoutMs = 20_000;

/** Back-off of connections to an unreachable server. */
const reconnectBackoff = exponentialBackoff({ baseMs: 50, maxMs: 2_000, jitter: 0.2 });
/** Limit of the time to the server's first frame (ms). Upstream: grpc doc/connection-backoff.md. */
const connectTimeoutMs = 20_000;

/** Receive window (bytes), so that large messages don't wait for the reader every 64 KiB. */
const flowControlBytes = 1 << 20;
/** Limit of a response's metadata (bytes), as in Go servers. */
const headerLimitBytes = 16 << 20;

/** Opens no connection yet. Throws TypeError for an unsupported address. */
export function openChannel(options: ChannelOptions): Channel {
  return new Channel(options, parseAddress(options.address));
}

/** A connection to one server, opened at its first use and reopened when it breaks. */
export class Channel {
  /** Measures back-off here, and the timeouts of calls. */
  readonly clock: Clock;
  readonly #options: ChannelOptions;
  readonly #address: Address;
  readonly #waiting = new Set<WaitingCall>();
  /** The socket of #connection, which accepts requests now or when it is ready. */
  #socket: Socket | undefined;
  #connection: Http2Client | undefined;
  #connectTimer: Timer | undefined;
  #isClosed = false;
  #failures = 0;
  #retryAtMs = 0;
  #lastFailure = "";

  constructor(options: ChannelOptions, address: Address) {
    this.clock = options.clock ?? systemClock;
    this.#options = options;
    this.#address = address;
  }

  get closed(): boolean {
    return this.#isClosed;
  }

  /** The server's authority in requests. */
  get authority(): string {
    return this.#address.authority;
  }

  get scheme(): "http" | "https" {
    return this.#address.tls ? "https" : "http";
  }

  get maxReceiveBytes(): number {
    return this.#options.maxReceiveBytes ?? defaultMaxReceiveBytes;
  }

  /** Starts a call as soon as there is a connection with room for it, or refuses it. */
  start(call: WaitingCall): void {
    const isWaiting = !this.#socket && this.clock.monotonicMs() < this.#retryAtMs;
    if (this.#isClosed) call.refuse(notSent("the channel is closed"));
    else if (this.#connection?.hasRoom && this.#waiting.size === 0) this.#begin(call);
    else if (isWaiting) call.refuse(notSent(this.#lastFailure));
    else {
      this.#waiting.add(call);
      if (!this.#socket) this.#connect();
    }
  }

  /** Removes a waiting call. */
  withdraw(call: WaitingCall): void {
    this.#waiting.delete(call);
  }

  /** Refuses new calls; active ones continue. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#refuseWaiting("the channel is closed");
    if (this.#connection) this.#connection.close();
    else this.#socket?.destroy();
  }

  #begin(call: WaitingCall): void {
    if (!this.#connection) return;
    call.begin(this.#connection);
    if (this.#connection?.size === 1) this.#socket?.ref();
  }

  #beginWaiting(): void {
    for (const call of this.#waiting) {
      if (!this.#connection?.hasRoom) break;
      this.#waiting.delete(call);
      this.#begin(call);
    }
    if (this.#connection?.size === 0) this.#socket?.unref();
  }

  #refuseWaiting(reason: string): void {
    const refused = [...this.#waiting];
    this.#waiting.clear();
    for (const call of refused) call.refuse(notSent(reason));
  }

  #connect(): void {
    const { address, tls, keepaliveMs, keepaliveTimeoutMs } = this.#options;
    const socket = openSocket(this.#address, tls);
    this.#socket = socket;
    this.#connectTimer = this.clock.setTimer(connectTimeoutMs, () =>
      socket.destroy(new Error(`${address} doesn't answer`)),
    );
    const onClosing = (reason: string): void => this.#lost(socket, reason);
    socket.on("error", (error) => onClosing(error.message));
    socket.on("close", () => onClosing("the connection has ended"));
    const keepalive = keepaliveMs !== undefined && {
      afterMs: keepaliveMs,
      timeoutMs: keepaliveTimeoutMs ?? defaultKeepaliveTimeoutMs,
    };
    socket.once(this.#address.tls ? "secureConnect" : "connect", () => {
      const connection = new Http2Client(socket, {
        clock: this.clock,
        windowBytes: flowControlBytes,
        maxHeaderBytes: headerLimitBytes,
        keepalive: keepalive || undefined,
        onReady: () => this.#ready(socket, connection),
        onClosing,
      });
    });
  }

  #ready(socket: Socket, connection: Http2Client): void {
    if (this.#socket !== socket) return;
    this.#connectTimer?.cancel();
    this.#failures = 0;
    this.#connection = connection;
    connection.onFreed = () => {
      if (this.#socket === socket) this.#beginWaiting();
    };
    this.#beginWaiting();
  }

  /** The connection accepts no more calls, or could not be opened. */
  #lost(socket: Socket, reason: string): void {
    if (this.#socket !== socket) return;
    const wasReady = this.#connection !== undefined;
    this.#connectTimer?.cancel();
    this.#socket = undefined;
    this.#connection = undefined;
    if (wasReady) {
      if (this.#waiting.size > 0 && !this.#isClosed) this.#connect();
      return;
    }
    this.#lastFailure = `No connection established. Last error: ${reason}`;
    this.#retryAtMs = this.clock.monotonicMs() + reconnectBackoff(++this.#failures);
    socket.destroy();
    this.#refuseWaiting(this.#lastFailure);
  }
}

function notSent(details: string): GrpcError {
  return new GrpcError("UNAVAILABLE", details, { sent: false });
}

function openSocket(address: Address, tls: TlsMaterial = {}): Socket {
  if (address.path !== undefined) return connectUnix(address.path);
  const { host, port } = address;
  const target = { host, port, noDelay: true };
  if (!address.tls) return tcpConnect(target);
  const { ca, cert, key, insecure = false } = tls;
  return connectTls({
    ...target,
    ...(ca?.length && !insecure ? { trust: trustOf(ca) } : {}),
    ...(cert && { cert }),
    ...(key && { key }),
    // An IP address is no SNI name; the certificate is checked for it all the same.
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ["h2"],
    rejectUnauthorized: !insecure,
  });
}

function connectUnix(path: string): Socket {
  let place: SocketPath;
  try {
    place = openSocketPath(path);
  } catch {
    // There is no such folder: the connection fails with the error of its own.
    return tcpConnect({ path });
  }
  const socket = tcpConnect({ path: place.path });
  let isOpen = true;
  const leave = () => {
    if (isOpen) place[Symbol.dispose]();
    isOpen = false;
  };
  return socket.once("connect", leave).once("close", leave);
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** Path of a unix socket. */
  readonly path?: string;
  readonly tls: boolean;
  readonly authority: string;
}

function parseAddress(address: string): Address {
  const path = /^unix:(?:\/\/)?(\/[^/].*)$/.exec(address)?.[1];
  const name = /^unix-abstract:(?:\/\/)?(.+)$/.exec(address)?.[1];
  const socket = path ?? (name && `\0${name}`);
  if (socket) return { host: "", port: 0, path: socket, tls: false, authority: "localhost" };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const { hostname = "", port = "" } = url ?? {};
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new TypeError(`"${address}" is no address: want http://, https:// or unix:///`);
  }
  const tls = url.protocol === "https:";
  const number = Number(port) || (tls ? 443 : 80);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: number, tls, authority: `${hostname}:${number}` };
}
