/** Upstream: sigs.k8s.io/metrics-server, pkg/api/table.go. */
import type { ContainerMetrics } from "#/api/metrics/v1beta1.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import { parseQuantity, type Quantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { UsageObject } from "./select-objects.ts";

/** The usage objects as a meta.k8s.io Table. Its columns are the resources of the first one: none if there is none. */
export function usageTable(
  objects: readonly UsageObject[],
  version: string,
  includeObject: string,
): object {
  const apiVersion = `meta.k8s.io/${version}`;
  const [first] = objects;
  const names = first ? [...totalsOf(first).keys()].sort() : [];
  const show = shownObject(includeObject, apiVersion);
  return {
    kind: "Table",
    apiVersion,
    metadata: {},
    columnDefinitions: first
      ? [
          column("Name", "name", "Name of the resource"),
          ...names.map((name) => column(name, "quantity")),
          column("Window", "duration"),
        ]
      : null,
    rows: first
      ? objects.map((object) => {
          const totals = totalsOf(object);
          const cells = names.map((name) => String(totals.get(name) ?? "0"));
          return {
            cells: [object.metadata.name ?? "", ...cells, object.window],
            object: show(object),
          };
        })
      : null,
  };
}

const column = (name: string, format: string, description = "") => ({
  name,
  type: "string",
  format,
  description,
  priority: 0,
});

/** The usage of a node, or the sum of a Pod's containers. */
function totalsOf(object: UsageObject): Map<string, Quantity> {
  const parts: readonly Pick<ContainerMetrics, "usage">[] =
    "containers" in object ? object.containers : [object];
  const totals = new Map<string, Quantity>();
  for (const { usage } of parts) {
    for (const [name, text] of Object.entries(usage)) {
      const quantity = parseQuantity(text);
      totals.set(name, totals.get(name)?.add(quantity) ?? quantity);
    }
  }
  return totals;
}

/** Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go. */
function shownObject(include: string, apiVersion: string): (object: UsageObject) => unknown {
  switch (include) {
    case "":
    case "Metadata":
      return ({ metadata }) => ({ kind: "PartialObjectMetadata", apiVersion, metadata });
    case "Object":
      return (object) => object;
    case "None":
      return () => null;
    default:
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(include)}: must be 'Metadata', 'Object', 'None', or empty`,
      );
  }
}
