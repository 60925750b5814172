import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Exchange, UserInfo } from "./exchange.ts";

/**
 * One way of finding out who sends a request. Undefined means "not my kind of credential: ask the next"; a credential
 * of its kind that is wrong makes it throw a 401 StatusError.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(exchange: Exchange): MaybePromise<UserInfo | undefined>;
}
