/** Upstream: sigs.k8s.io/metrics-server, pkg/api/node.go, pkg/api/pod.go, pkg/api/filter.go. */
import type { NodeMetrics, PodMetrics } from "#/api/metrics/v1beta1.ts";
import { type FieldSelector, parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { type Selector, SelectorError } from "#/machinery/meta/labels.ts";
import { badRequest, methodNotSupported, notFound } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { compareText } from "#/std/text/compare-text.ts";
import type { History } from "../usage/history.ts";
import { type Measured, nodeMetrics, podMetrics } from "../usage/usage-objects.ts";
import { group, type MetricsRequest } from "./request.ts";

export type UsageObject = NodeMetrics | PodMetrics;

/** What the API is about: the objects of the cluster, and their usage. */
export interface Measurements {
  readonly history: History;
  readonly nodes: MeasuredStore;
  /** Running Pods. */
  readonly pods: MeasuredStore;
}

interface MeasuredStore {
  get(namespace: string | undefined, name: string): Measured | undefined;
  list(): readonly Measured[];
  listNamespace(namespace: string): readonly Measured[];
}

/** A list, or one object. */
export type Selected =
  | { readonly one: UsageObject }
  | { readonly kind: string; readonly items: UsageObject[] };

const resources = {
  nodes: { kind: "NodeMetrics", measure: nodeMetrics },
  pods: { kind: "PodMetrics", measure: podMetrics },
} as const;

/** The usage that a request selects; undefined for an unknown resource. Throws StatusErrors. */
export function selectObjects(
  request: MetricsRequest,
  query: URLSearchParams,
  measurements: Measurements,
  now: number,
): Selected | undefined {
  const name = request.resource;
  if ((name !== "nodes" && name !== "pods") || request.subresource !== "") return undefined;
  if (name === "nodes" && request.namespace !== "") return undefined;
  if (request.verb !== "get" && request.verb !== "list") {
    throw methodNotSupported({ group, name }, request.verb);
  }
  const { kind, measure } = resources[name];
  const store = measurements[name];
  const usageOf = (object: Measured): UsageObject | undefined =>
    measure(measurements.history, object, now);
  if (request.name !== "") return { one: getOne(request, store, usageOf) };
  const labels = parsed(() => parseSelector(query.get("labelSelector") ?? ""));
  const fields = parsed(() => parseFieldSelector(query.get("fieldSelector") ?? ""));
  checkFields(fields);
  const inScope = request.namespace ? store.listNamespace(request.namespace) : store.list();
  const items = inScope
    .filter((object) => isSelected(object, labels, fields))
    .map(usageOf)
    .filter((usage) => usage !== undefined)
    .sort(byName);
  return { kind: `${kind}List`, items };
}

function getOne(
  { resource, namespace, name }: MetricsRequest,
  store: MeasuredStore,
  usageOf: (object: Measured) => UsageObject | undefined,
): UsageObject {
  const object = store.get(namespace, name);
  // The names that upstream's listers have.
  const listed = resource === "nodes" ? "node" : resource;
  if (!object) throw notFound({ group: "", name: listed }, name);
  const usage = usageOf(object);
  if (usage) return usage;
  throw notFound({ group, name: resource }, resource === "pods" ? `${namespace}/${name}` : name);
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/conversion.go. */
function checkFields({ requirements }: FieldSelector): void {
  const known = ["metadata.name", "metadata.namespace"];
  const unknown = requirements.find(({ field }) => !known.includes(field));
  if (!unknown) return;
  const allowed = known.map(goQuote).join(", ");
  throw badRequest(`${goQuote(unknown.field)} is not a known field selector: only ${allowed}`);
}

function isSelected({ metadata }: Measured, labels: Selector, fields: FieldSelector): boolean {
  const { name = "", namespace = "" } = metadata;
  return (
    labels.matches(metadata.labels) &&
    fields.matches((field) => (field === "metadata.name" ? name : namespace))
  );
}

const byName = ({ metadata: a }: UsageObject, { metadata: b }: UsageObject): number =>
  compareText(a.namespace ?? "", b.namespace ?? "") || compareText(a.name ?? "", b.name ?? "");
