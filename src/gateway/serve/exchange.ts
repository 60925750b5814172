import type { Duplex } from "node:stream";

/** The connection on which a request has arrived. */
export interface ClientConnection {
  readonly address: string;
  readonly scheme: "http" | "https";
  /** The port of the listener as clients know it. */
  readonly port: number;
  /** The name that the client has asked for when it connected, in lower case; "" for none, or without TLS. */
  readonly serverName: string;
}

/** Receives the body of a request. */
export interface RequestReader {
  chunk(bytes: Buffer): void;
  end(): void;
  /** The client goes before it has sent all of it. */
  fail(): void;
}

/** A request of a client, of any version of HTTP, and the response to it. */
export interface ClientExchange {
  readonly method: string;
  /** As sent: a path with its query, or a URL. */
  readonly target: string;
  /** The Host field, or :authority. */
  readonly host: string;
  /** Names, in lower case, and values alternate. */
  readonly fields: readonly string[];
  readonly hasBody: boolean;
  /** Whether it asks for a WebSocket over HTTP/1.1. */
  readonly isUpgrade: boolean;
  readonly connection: ClientConnection;
  /** Passes the body from its beginning to a reader, until pause() and after resume(). */
  receive(reader: RequestReader): void;
  pause(): void;
  resume(): void;

  readonly hasBegun: boolean;
  /** Begins the response. Names, in lower case, and values of fields alternate. */
  begin(status: number, fields: readonly string[]): void;
  /** False if the client is slow: wait for onDrain. */
  write(bytes: Buffer): boolean;
  /** Ends the response, with trailers if the client's version of HTTP has them. */
  end(trailers?: readonly string[]): void;
  /** Ends a response that can't be completed, so that the client sees that it is cut off. */
  abort(): void;
  /** Begins another protocol; what the client sends from here is read from the returned connection. */
  switchProtocol(fields: readonly string[]): Duplex | undefined;
  onDrain: (() => void) | undefined;
  /** Called if the client goes before it has the whole response. */
  onGone: (() => void) | undefined;
}

/** Responds with a text of the gateway's own, or with fields alone. */
export function replyWith(
  exchange: ClientExchange,
  status: number,
  text: string,
  fields: readonly string[] = [],
): void {
  const body = Buffer.from(text);
  const type = ["content-type", "text/plain; charset=utf-8", "x-content-type-options", "nosniff"];
  const length = status === 204 ? [] : ["content-length", String(body.length)];
  exchange.begin(status, [...(text === "" ? [] : type), ...length, ...fields]);
  exchange.write(body);
  exchange.end();
}
