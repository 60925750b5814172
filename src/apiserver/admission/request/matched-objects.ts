import { type Namespace, namespaces } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { everything, type Selector } from "#/machinery/meta/labels.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ApiObject, Decoded } from "../../registry/strategy.ts";
import { findNewest, findObject } from "../base/find-object.ts";

type Labels = Readonly<Record<string, string>>;
type Request = Pick<
  Attributes,
  "operation" | "resource" | "subresource" | "namespace" | "object" | "oldObject"
>;

/** A given selector; an absent one selects everything. */
export const selectorOf = (selector: LabelSelector | undefined): Selector =>
  selector === undefined ? everything : compileLabelSelector(selector);

/** Whether one of the objects of a request matches the selector. */
export function objectMatches(selector: Selector, { object, oldObject }: Request): boolean {
  if (selector.isEverything) return true;
  const bears = (one: ApiObject | undefined): boolean =>
    one?.metadata !== undefined && selector.matches(one.metadata.labels ?? {});
  return bears(object) || bears(oldObject);
}

/** Whether a request's namespace matches the selector; 404 if it does not exist. */
export async function namespaceMatches(
  selector: Selector,
  request: Request,
  registry: Registry,
): Promise<boolean> {
  const { namespace, resource } = request;
  if (namespace === "" && resource.name !== "namespaces") return true;
  if (selector.isEverything) return true;
  return selector.matches(await namespaceLabels(request, registry));
}

async function namespaceLabels(request: Request, registry: Registry): Promise<Labels> {
  const { operation, resource, subresource, namespace, object } = request;
  const written = operation === "CREATE" || operation === "UPDATE";
  if (resource.name === "namespaces" && subresource === "" && written) {
    return object?.metadata.labels ?? {};
  }
  return (await getNamespace(registry, namespace)).metadata.labels ?? {};
}

/** The namespace from the cache or the store; 404 if it does not exist. */
export async function getNamespace(registry: Registry, name: string): Promise<Decoded<Namespace>> {
  const found =
    findObject(registry, namespaces, "", name) ??
    (await findNewest(registry, namespaces, "", name));
  if (!found) throw notFound(namespaces, name);
  return found;
}
