import type { Duplex } from "node:stream";

/** Whether a request may be sent again after a failure: the backend has seen nothing of it, may have seen it, or must have. */
type Retry = "always" | "if safe" | "never";

/** Why there is no complete response. */
export interface AnswerFailure {
  readonly reason: string;
  readonly retry: Retry;
}

/** Receives the response of a backend. */
export interface AnswerReader {
  /** Names, in lower case, and values of fields alternate. */
  takeHead(status: number, fields: readonly string[]): void;
  takeChunk(bytes: Buffer): void;
  takeEnd(trailers?: readonly string[]): void;
  /** The backend speaks another protocol from here. */
  takeSwitch(fields: readonly string[], connection: Duplex): void;
  /** The response ends here with an error, or never begins. */
  fail(failure: AnswerFailure): void;
}

/** A request for a backend. */
export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  /** With Host; without fields that belong to a connection. Names and values alternate. */
  readonly fields: readonly string[];
  /** Whether a body follows; if it declares no length, it is sent in chunks. */
  readonly hasBody: boolean;
  readonly isUpgrade: boolean;
}

/** A request on its way to a backend. */
export interface Outgoing {
  /** Calls back when there is a connection, which may be at once. */
  whenReady(run: () => void): void;
  /** False if the backend is slow: wait for onDrain. */
  write(bytes: Buffer): boolean;
  end(): void;
  /** Gives the request up; nothing more is heard of it. */
  cancel(): void;
  /** Stops and continues reading the response. */
  pause(): void;
  resume(): void;
  onDrain: (() => void) | undefined;
}

/** Sends requests to one endpoint. */
export interface EndpointClient extends Disposable {
  send(request: OutgoingRequest, answer: AnswerReader): Outgoing;
  /** Ends what waits too long; called at intervals. */
  check(nowMs: number): void;
  /** Whether it has no connection. */
  readonly isUnused: boolean;
}
