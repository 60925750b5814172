import type { Resource } from "#/api/base/resource.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { Pace } from "../model/pace.ts";
import type { Trail } from "../model/trail.ts";
import type { ApiObject } from "./strategy.ts";

/** A write request as admission sees it. Upstream: staging/src/k8s.io/apiserver/pkg/admission/interfaces.go. */
export interface Attributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  /** The resource in the version of the request. */
  readonly resource: Resource;
  readonly subresource: string;
  /** The kind of `object` (Scale for deployments/scale, Eviction for pods/eviction). */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespace: string;
  readonly name: string;
  /** The object to be stored, in the stored version; mutating plugins may change it in place. Absent for DELETE. */
  object: ApiObject | undefined;
  /** The stored object; read-only. Absent for CREATE. */
  readonly oldObject: ApiObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as an object. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** The record of the request's way, if it is recorded. */
  readonly trail?: Trail | undefined;
  /** The pace of a large request: long steps of admission take turns with other requests. */
  readonly pace?: Pace | undefined;
  warn(text: string): void;
  annotate(key: string, value: string): void;
}

/**
 * The gate between decoding and storing. Both halves may throw a StatusError; both are synchronous where they can be.
 */
export interface Admission {
  mutate(attributes: Attributes): MaybePromise<void>;
  validate(attributes: Attributes): MaybePromise<void>;
}
