import { type Namespace, namespaces } from "#/api/core/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { findNewest, findObject } from "../base/find-object.ts";

/** Calls a function with a request's namespace, synchronously if it is cached; `namespaces "x" not found` otherwise. */
export function withNamespace(
  registry: Registry,
  name: string,
  use: (namespace: Decoded<Namespace>) => void,
): MaybePromise<void> {
  const cached = findObject(registry, namespaces, "", name);
  if (cached) return use(cached);
  return findNewest(registry, namespaces, "", name).then((newest) => {
    if (!newest) throw notFound(namespaces, name);
    use(newest);
  });
}
