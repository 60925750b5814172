import type { UserInfo } from "../http/exchange.ts";

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
}

/** Says whether something may be done. Synchronous wherever it needs no I/O. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): Decision | Promise<Decision>;
}
