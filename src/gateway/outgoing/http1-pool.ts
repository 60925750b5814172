import type { AnswerReader, EndpointClient, Outgoing, OutgoingRequest } from "./answer.ts";
import { type BackendAddress, connectBackend } from "./connect-backend.ts";
import { Http1Backend } from "./http1-backend.ts";

/** Limit of idle connections to one endpoint (count). */
const maxIdle = 64;

/** The connections to an endpoint over HTTP/1.1. */
export class Http1Pool implements EndpointClient {
  readonly #target: BackendAddress;
  /** The last one was used last. */
  readonly #idle: Http1Backend[] = [];
  readonly #all = new Set<Http1Backend>();

  constructor(target: BackendAddress) {
    this.#target = target;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection.close();
  }

  get isUnused(): boolean {
    return this.#all.size === 0;
  }

  send(request: OutgoingRequest, answer: AnswerReader): Outgoing {
    const connection = this.#idle.pop() ?? this.#connect();
    connection.send(request, answer);
    return connection;
  }

  check(nowMs: number): void {
    for (const connection of this.#all) connection.check(nowMs);
  }

  #connect(): Http1Backend {
    const connection = new Http1Backend(connectBackend(this.#target, "http/1.1"), {
      tls: this.#target.tls,
      onIdle: this.#onIdle,
      onClosed: this.#onClosed,
    });
    this.#all.add(connection);
    return connection;
  }

  readonly #onIdle = (connection: Http1Backend): void => {
    if (this.#idle.length < maxIdle) this.#idle.push(connection);
    else connection.close();
  };

  readonly #onClosed = (connection: Http1Backend): void => {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  };
}
