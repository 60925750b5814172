import type { StatusError } from "#/machinery/meta/status-error.ts";
import type { Settled } from "#/std/base/maybe-promise.ts";
import type { Reply } from "../model/exchange.ts";
import type { StoredObject } from "./stored-object.ts";

/**
 * The result of a verb, before it is encoded in the media type that the client accepts. Callers in the same process
 * take it without encoding.
 */
export type Result =
  | { readonly type: "object"; readonly status: number; readonly object: StoredObject }
  /** An object made for the response (Status, TokenReview, Scale), not stored. */
  | { readonly type: "value"; readonly status: number; readonly value: Settled }
  | { readonly type: "list"; readonly page: Page }
  | { readonly type: "watch"; readonly run: (target: WatchTarget) => Promise<void> }
  /** Logs, proxied responses, upgraded connections. */
  | { readonly type: "raw"; readonly reply: Reply };

/** One page of objects, all at one revision. */
export interface Page {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  /** Set when there is more. */
  readonly continueToken: string;
  /** Number of objects after this page; undefined if a selector may filter them. */
  readonly remaining: number | undefined;
}

/** Receiver of a watch's events. */
export interface WatchTarget {
  /** Called in order. Frames made for one watcher are kept in `frames` for the next. */
  event(event: SelectedEvent, frames: Map<string, Uint8Array>): void;
  /** Everything up to this revision has been sent; initialEnd marks the end of the initial list. */
  bookmark(revision: number, initialEnd: boolean): void;
  error(error: StatusError): void;
  /** Called after each batch, so that frames can be written together. */
  flush(): void;
  /** Resolves when the client has read most of the flushed bytes, or has disconnected. */
  drained(): Promise<void>;
}

/** An event as one watcher sees it. */
export interface SelectedEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: StoredObject;
}
