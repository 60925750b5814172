import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Exchange, UserInfo } from "./exchange.ts";

/**
 * One method of authentication. Undefined means that the request has no such credential and the next method is tried;
 * an invalid credential makes it throw a 401 StatusError.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(exchange: Exchange): MaybePromise<UserInfo | undefined>;
}
