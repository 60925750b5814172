import type { StatusError } from "#/machinery/meta/status-error.ts";
import type { Settled } from "#/std/base/maybe-promise.ts";
import type { Reply } from "../model/exchange.ts";
import type { StoredObject } from "./stored-object.ts";

/**
 * What a verb has to say, before it is put into the media type the client accepts. Callers in the same process take
 * it as it is.
 */
export type Result =
  | { readonly type: "object"; readonly status: number; readonly object: StoredObject }
  /** Something made for the answer (Status, TokenReview, Scale), not stored. */
  | { readonly type: "value"; readonly status: number; readonly value: Settled }
  | { readonly type: "list"; readonly page: Page }
  | { readonly type: "watch"; readonly run: (target: WatchTarget) => Promise<void> }
  /** Logs, proxied answers, upgraded connections. */
  | { readonly type: "raw"; readonly reply: Reply };

/** One page of objects, all as they were at one revision. */
export interface Page {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  /** Set when there is more. */
  readonly continueToken: string;
  /** How many objects follow; unknown when a selector may refuse some of them. */
  readonly remaining: number | undefined;
}

/** Where a watch's events go. */
export interface WatchTarget {
  /** Called in order. Frames made for one watcher are kept in `frames` for the next. */
  event(event: SelectedEvent, frames: Map<string, Uint8Array>): void;
  /** Everything up to this revision has been sent; initialEnd closes the initial list. */
  bookmark(revision: number, initialEnd: boolean): void;
  error(error: StatusError): void;
  /** Called after each batch, so that frames can be written together. */
  flush(): void;
  /** Resolves when the client has taken most of what was flushed, or has gone. */
  drained(): Promise<void>;
}

/** An event as one watcher sees it. */
export interface SelectedEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: StoredObject;
}
