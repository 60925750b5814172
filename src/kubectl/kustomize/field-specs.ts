/** Upstream: sigs.k8s.io/kustomize/api/filters/fieldspec, api/internal/konfig/builtinpluginconsts. */
import { kindOf, type Unstructured } from "../unstructured.ts";

/** Where fields are, in objects of which kinds. */
export interface FieldSpec {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly path: string;
  readonly create?: boolean;
}

/** Whether an object is of the kind that is asked for; what isn't said matches everything. */
export function isOfKind(
  object: Unstructured,
  { group = "", version = "", kind = "" }: { group?: string; version?: string; kind?: string },
): boolean {
  const own = kindOf(object);
  return (
    (group === "" || group === own.group) &&
    (version === "" || version === own.version) &&
    (kind === "" || kind === own.kind)
  );
}

/** The new value of a field; undefined leaves it as it is. */
export type Change = (value: unknown) => unknown;

/** Changes the fields of an object that a specification finds, through all lists on the way. */
export function changeFields(
  object: Unstructured,
  spec: FieldSpec,
  change: Change,
  empty?: unknown,
): void {
  if (isOfKind(object, spec))
    walk(object, splitPath(spec.path), spec.create === true, change, empty);
}

function walk(
  value: unknown,
  path: readonly string[],
  create: boolean,
  change: Change,
  empty: unknown,
): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, path, create, change, empty);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const [step = "", ...rest] = path;
  const field = step.replace(/\[\]$/, "");
  const map = value as Record<string, unknown>;
  if (map[field] === undefined || map[field] === null) {
    if (!create || empty === undefined || field !== step) return;
    map[field] = rest.length === 0 ? structuredClone(empty) : {};
  }
  if (rest.length > 0) {
    walk(map[field], rest, create, change, empty);
    return;
  }
  const changed = change(map[field]);
  if (changed !== undefined) map[field] = changed;
}

/** The steps of a path with slashes; one that belongs to a name has a backslash before it. */
export function splitPath(path: string): string[] {
  return path.split(/(?<!\\)\//).map((step) => step.replaceAll("\\/", "/"));
}
