import { isJsonObject, type JsonObject } from "#/machinery/patch/values/json-value.ts";

/** Fields that v1beta1 has once for all versions where they are alike, and v1 in each version. */
const shared = {
  validation: "schema",
  subresources: "subresources",
  additionalPrinterColumns: "additionalPrinterColumns",
  selectableFields: "selectableFields",
} as const;

/**
 * A definition in v1, of the v1beta1 in which upstream's server stores it. Pure.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go, v1beta1/defaults.go.
 */
export function fromV1beta1(definition: JsonObject): JsonObject {
  const { spec } = definition;
  if (!isJsonObject(spec)) return { ...definition, apiVersion: "apiextensions.k8s.io/v1" };
  const { version, validation, subresources, additionalPrinterColumns, selectableFields, ...rest } =
    spec;
  const all = { validation, subresources, additionalPrinterColumns, selectableFields };
  const common: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shared)) {
    const value = all[name as keyof typeof all];
    if (value !== undefined && value !== null) common[field] = value;
  }
  const named = Array.isArray(rest["versions"]) ? rest["versions"].filter(isJsonObject) : [];
  const single = typeof version === "string" && version !== "" ? [onlyVersion(version)] : [];
  const versions = (named.length > 0 ? named : single).map((one) =>
    withPaths({ ...one, ...common }),
  );
  return {
    ...definition,
    apiVersion: "apiextensions.k8s.io/v1",
    spec: {
      ...rest,
      versions,
      ...(isJsonObject(rest["conversion"]) ? { conversion: conversionOf(rest["conversion"]) } : {}),
      preserveUnknownFields: rest["preserveUnknownFields"] ?? true,
    },
  };
}

const onlyVersion = (name: string): JsonObject => ({ name, served: true, storage: true });

/** A column's path has another name. */
function withPaths(version: JsonObject): JsonObject {
  const { additionalPrinterColumns: columns } = version;
  if (!Array.isArray(columns)) return version;
  const renamed = columns.map((column: unknown): unknown => {
    if (!isJsonObject(column)) return column;
    const { JSONPath: path, ...rest } = column;
    return path === undefined ? column : { ...rest, jsonPath: path };
  });
  return { ...version, additionalPrinterColumns: renamed };
}

function conversionOf(conversion: JsonObject): JsonObject {
  const { webhookClientConfig: clientConfig, conversionReviewVersions, ...rest } = conversion;
  if (!clientConfig && !conversionReviewVersions) return rest;
  const versions = conversionReviewVersions ? { conversionReviewVersions } : {};
  return { ...rest, webhook: { ...(clientConfig ? { clientConfig } : {}), ...versions } };
}
