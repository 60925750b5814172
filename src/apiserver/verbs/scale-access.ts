import type { LabelSelector } from "#/api/meta/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { ApiObject, ScaleMapping, ScalePaths } from "../registry/strategy.ts";

/** Reads and writes the replicas of a scalable object. */
export interface ScaleAccess extends ScaleMapping<ApiObject> {
  /** Path of the replicas, as field names. */
  readonly path: readonly string[];
}

/** Access by the paths of a declaration or a CRD, or by the resource's own functions. */
export function scaleAccess(scale: ScalePaths | ScaleMapping<ApiObject>): ScaleAccess {
  if (!("specReplicas" in scale)) return { ...scale, path: ["spec", "replicas"] };
  const path = segments(scale.specReplicas);
  const statusPath = segments(scale.statusReplicas);
  const selectorPath = scale.selector === undefined ? undefined : segments(scale.selector);
  return {
    path,
    replicas: (object) => numberAt(object, path),
    setReplicas: (object, replicas) => setAt(object, path, replicas),
    statusReplicas: (object) => numberAt(object, statusPath),
    selector: (object) => selectorText(selectorPath && valueAt(object, selectorPath)),
  };
}

function selectorText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null
    ? formatLabelSelector(value as LabelSelector)
    : "";
}

const segments = (path: string): string[] => path.split(".").filter((part) => part !== "");

function valueAt(object: object, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function numberAt(object: object, path: readonly string[]): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

function setAt(object: object, path: readonly string[], value: unknown): void {
  const parents = path.slice(0, -1);
  let at = object as Record<string, unknown>;
  for (const key of parents) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[path.at(-1) ?? ""] = value;
}
