import type { Readable } from "node:stream";

/** The connection on which a request has arrived. */
export interface ClientConnection {
  readonly address: string;
  readonly scheme: "http" | "https";
  /** The port of the listener as clients know it. */
  readonly port: number;
}

/** A request of a client, of any version of HTTP. */
export interface ClientRequest {
  readonly method: string;
  /** As sent: a path with its query, or a URL. */
  readonly target: string;
  /** The Host field, or :authority. */
  readonly host: string;
  /** Names and values alternate. */
  readonly fields: readonly string[];
  /** Undefined if it has none. */
  readonly body: Readable | undefined;
  readonly connection: ClientConnection;
}

/** The response to a client's request. */
export interface ClientReply {
  readonly hasBegun: boolean;
  /** Names and values of fields alternate. */
  begin(status: number, fields: readonly string[]): void;
  /** False if the client is slow: wait for drained(). */
  write(chunk: Buffer): boolean;
  drained(): Promise<void>;
  end(): void;
  /** Ends a response that can't be completed, so that the client sees that it is cut off. */
  abort(): void;
  /** The listener is called if the client goes before it has the whole response. */
  onGone(listener: () => void): void;
}

/** Responds with a text of the gateway's own. */
export function replyText(reply: ClientReply, status: number, text: string): void {
  const body = Buffer.from(text);
  reply.begin(status, [
    "content-type",
    "text/plain; charset=utf-8",
    "content-length",
    String(body.length),
    "x-content-type-options",
    "nosniff",
  ]);
  reply.write(body);
  reply.end();
}
