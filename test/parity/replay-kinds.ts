import assert from "node:assert/strict";
import { excludeFields, type FieldFilter } from "#/machinery/apply/field-filter.ts";
import type { ManagedKind } from "#/machinery/apply/versions.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { widget } from "./widget-schema.ts";

/** The parts of a request's path. */
export interface Target {
  readonly kind: ManagedKind;
  readonly resource: string;
  readonly name: string | undefined;
  readonly subresource: string;
}

const kinds: Readonly<Record<string, string>> = {
  configmaps: "ConfigMap",
  deployments: "Deployment",
  services: "Service",
  pods: "Pod",
  horizontalpodautoscalers: "HorizontalPodAutoscaler",
  widgets: "Widget",
};

/** Reads a path like /apis/apps/v1/namespaces/{ns}/deployments/d/scale?x. */
export function parseTarget(path: string): Target {
  const match =
    /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
      path.split("?")[0] ?? "",
    );
  assert.ok(match, path);
  const apiVersion = match[1] ?? match[2] ?? "";
  const resource = match[3] ?? "";
  return {
    kind: managedKind(apiVersion, resource),
    resource,
    name: match[4],
    subresource: match[5] ?? "",
  };
}

function managedKind(apiVersion: string, resource: string): ManagedKind {
  const kind = kinds[resource] ?? "";
  if (resource === "widgets") return { ...widgetKind, apiVersion };
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const schema = findSchema(group, version, kind);
  assert.ok(schema, `${apiVersion} ${kind}`);
  return { apiVersion, kind, schema };
}

/** A custom resource whose conversion changes only its version. */
const widgetKind: Omit<ManagedKind, "apiVersion"> = {
  kind: "Widget",
  schema: widget,
  version(apiVersion) {
    if (!/^parity\.example\.com\/v[12]$/.test(apiVersion)) throw new Error("invalid group/version");
    return { schema: widget, convert: (object) => ({ ...object, apiVersion }) };
  },
};

const filters: Readonly<Record<string, FieldFilter>> = {
  "": excludeFields(["status"]),
  "deployments/status": excludeFields(["spec"], ["metadata", "labels"]),
  "pods/status": excludeFields(
    ["spec"],
    ["metadata", "deletionTimestamp"],
    ["metadata", "ownerReferences"],
  ),
  "services/status": excludeFields(["spec"]),
  "widgets/status": excludeFields(["metadata"], ["spec"]),
};

/** Fields that upstream's strategies reset in the version of the request. */
export function resetFieldsOf({ kind, resource, subresource }: Target) {
  const filter = filters[subresource === "" ? "" : `${resource}/${subresource}`];
  return (apiVersion: string): FieldFilter | undefined =>
    apiVersion === kind.apiVersion && resource !== "configmaps" ? filter : undefined;
}
