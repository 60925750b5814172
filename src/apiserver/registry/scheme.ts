import type { Resource } from "#/api/base/resource.ts";
import type { TypeMeta } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { table } from "#/std/base/table.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/**
 * The kinds that upstream's server knows: it consists of three servers, with a scheme each.
 *
 * Upstream: pkg/api/legacyscheme, staging/src/k8s.io/{apiextensions-apiserver,kube-aggregator}/pkg/apiserver.
 */
const ownSchemes: ReadonlySet<string> = new Set([
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "audit.k8s.io",
  "metrics.k8s.io",
  "custom.metrics.k8s.io",
  "external.metrics.k8s.io",
]);
const schemeOf = (group: string): string => (ownSchemes.has(group) ? group : "");

/** Whether the server of a group knows a kind. */
export function isRegistered(kind: string, apiVersion: string, servedGroup: string): boolean {
  const slash = apiVersion.indexOf("/");
  const group = apiVersion.slice(0, Math.max(slash, 0));
  return (
    schemeOf(group) === schemeOf(servedGroup) &&
    findSchema(group, apiVersion.slice(slash + 1), kind) !== undefined
  );
}

/** The error for a body of an unknown kind. */
export const unregistered = ({ kind, apiVersion }: TypeMeta): DecodeError =>
  new DecodeError(
    `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );

/** Groups with a Go package name that is not the first part of the group's name. */
const packages: Readonly<Record<string, string>> = table({
  "": "core",
  "events.k8s.io": "core",
  "internal.apiserver.k8s.io": "apiserverinternal",
});

/** Upstream's name of a kind's internal type: apps.Deployment. */
export function internalName({ group, kind }: Pick<Resource, "group" | "kind">): string {
  return `${packages[group] ?? group.split(".", 1)[0]}.${kind}`;
}
