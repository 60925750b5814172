import type { Reply } from "../http/exchange.ts";
import type { StoredObject } from "../registry/stored-object.ts";
import type { Page } from "./list.ts";
import type { WatchTarget } from "./watch.ts";

/**
 * What a verb has to say, before it is put into the media type the client accepts. Callers in the same process take
 * it as it is.
 */
export type Result =
  | { readonly type: "object"; readonly status: number; readonly object: StoredObject }
  /** Something made for the answer (Status, TokenReview, Scale), not stored. */
  | { readonly type: "value"; readonly status: number; readonly value: object }
  | { readonly type: "list"; readonly page: Page }
  | { readonly type: "watch"; readonly run: (target: WatchTarget) => Promise<void> }
  /** Logs, proxied answers, upgraded connections. */
  | { readonly type: "raw"; readonly reply: Reply };
