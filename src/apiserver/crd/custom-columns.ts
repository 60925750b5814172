import type { CustomResourceColumnDefinition } from "#/api/apiextensions/v1.ts";
import { findAll } from "#/machinery/jsonpath/evaluate-jsonpath.ts";
import { type JsonPath, JsonPathError } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parsePath } from "#/machinery/jsonpath/parse-jsonpath.ts";
import type { ApiObject, Column } from "../registry/strategy.ts";
import { nameColumn, timeSince } from "../resources/rules/age.ts";

/** The column of a CRD that declares none. */
const ageOnly: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
};

/**
 * The columns of a custom resource: its name, then those of the CRD.
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go.
 */
export function customColumns(
  definitions: readonly CustomResourceColumnDefinition[] | undefined,
): Column[] {
  const columns = definitions && definitions.length > 0 ? definitions : [ageOnly];
  return [nameColumn as Column, ...columns.map(customColumn)];
}

function customColumn(definition: CustomResourceColumnDefinition): Column {
  const { name, type, format, priority, description, jsonPath } = definition;
  const path = parsePath(jsonPath);
  return {
    name,
    type: type as Column["type"],
    ...(format ? { format } : {}),
    ...(priority ? { priority } : {}),
    ...(description ? { description } : {}),
    cell: (object, now) => cellOf(type, foundIn(object, path), now),
  };
}

/** The values of a path; none if it is not applicable. */
function foundIn(object: ApiObject, path: JsonPath): readonly unknown[] {
  try {
    return findAll(path, object, { allowMissing: true });
  } catch (error) {
    if (error instanceof JsonPathError) return [];
    throw error;
  }
}

function cellOf(type: string, found: readonly unknown[], now: number): unknown {
  const [first] = found;
  if (first === undefined || first === null) return null;
  switch (type) {
    case "string":
      return text(first);
    case "date":
      return typeof first === "string" ? timeSince(first, now) : "<invalid>";
    case "integer":
      return typeof first === "number" ? Math.trunc(first) : null;
    case "number":
      return typeof first === "number" ? first : null;
    case "boolean":
      return typeof first === "boolean" ? first : null;
    default:
      return null;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The selectable fields of a version, besides name and namespace. */
export function customSelectableFields(
  fields: readonly { readonly jsonPath: string }[] | undefined,
): Record<string, (object: ApiObject) => string> {
  const entries = (fields ?? []).map(({ jsonPath }) => {
    const path = parsePath(jsonPath);
    const value = (object: ApiObject): string => {
      const [found] = foundIn(object, path);
      return found === undefined || found === null ? "" : text(found);
    };
    return [jsonPath.replace(/^\./, ""), value] as const;
  });
  return Object.fromEntries(entries);
}
