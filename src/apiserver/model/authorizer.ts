import type { PolicyRule } from "#/api/rbac/v1.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { UserInfo } from "./exchange.ts";

/**
 * The attributes of a request to authorize.
 * Upstream: staging/src/k8s.io/apiserver/pkg/authorization/authorizer/interfaces.go.
 */
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
  /** The reason, for the audit log and the client's message. */
  readonly reason: string;
  /** An error on the way to a decision that nevertheless stands. */
  readonly error?: Error;
}

/** The rules of a user, as far as an authorizer can list them. */
export interface KnownRules {
  readonly rules: readonly PolicyRule[];
  /** It may allow more than the rules say. */
  readonly incomplete: boolean;
  readonly errors: readonly string[];
}

/** Decides whether a request is allowed. Synchronous unless it needs I/O. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): MaybePromise<Decision>;
  /** All rules of a user in a namespace; absent if it is not used. */
  rulesFor?(user: UserInfo, namespace: string): KnownRules;
}

/** Attributes without any resource or path. */
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
