import type { PolicyRule } from "#/api/rbac/v1.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { UserInfo } from "./exchange.ts";

/** What somebody wants to do. Upstream: apiserver/pkg/authorization/authorizer/interfaces.go. */
export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface Decision {
  readonly decision: "allow" | "deny" | "no-opinion";
  /** Why, for the audit log and the client's message. */
  readonly reason: string;
  /** What went wrong on the way to a decision that nevertheless stands. */
  readonly error?: Error;
}

/** What an authorizer would let somebody do, as far as it can say. */
export interface KnownRules {
  readonly rules: readonly PolicyRule[];
  /** It may allow more than the rules say. */
  readonly incomplete: boolean;
  readonly errors: readonly string[];
}

/** Says whether something may be done. Synchronous wherever it needs no I/O. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): MaybePromise<Decision>;
  /** All that a user may do in a namespace; absent where nobody asks. */
  rulesFor?(user: UserInfo, namespace: string): KnownRules;
}

/** Attributes of something that is not about any resource or path yet. */
export const noAttributes: Omit<Attributes, "user" | "verb"> = {
  isResourceRequest: true,
  apiGroup: "",
  apiVersion: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  path: "",
  fieldSelector: "",
  labelSelector: "",
};
