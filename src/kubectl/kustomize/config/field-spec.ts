/** Upstream: sigs.k8s.io/kustomize/api/types/fieldspec.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import {
  defaultOrder,
  type Gvk,
  gvkSortText,
  isSelected,
  kindRank,
} from "../resource/resource-id.ts";

/** Paths of fields, and the kinds that have them. */
export interface FieldSpec extends Partial<Gvk> {
  readonly path: string;
  readonly create?: boolean;
}

/** Fields that refer to objects of one kind by name. */
export interface NameReferences extends Partial<Gvk> {
  readonly fieldSpecs: readonly FieldSpec[];
}

export function fullGvk({ group = "", version = "", kind = "" }: Partial<Gvk>): Gvk {
  return { group, version, kind };
}

/** Merges two lists; a specification in both must agree on create. */
export function mergeFieldSpecs(
  specs: readonly FieldSpec[],
  added: readonly FieldSpec[],
): readonly FieldSpec[] {
  const merged = [...specs];
  for (const spec of added) {
    const known = merged.find((each) => each.path === spec.path && isSelected(fullGvk(each), spec));
    if (!known) merged.push(spec);
    else if ((known.create ?? false) !== (spec.create ?? false)) {
      throw new KustomizeError("conflicting fieldspecs");
    }
  }
  return merged;
}

/** Sorts by kinds, as objects are sorted. */
export function sortByKind<T extends Partial<Gvk>>(list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, gvk: fullGvk(value) }))
    .toSorted(({ gvk: left }, { gvk: right }) => {
      const rank = kindRank(left.kind, defaultOrder) - kindRank(right.kind, defaultOrder);
      if (rank !== 0) return rank;
      const [one, other] = [gvkSortText(left), gvkSortText(right)];
      return one < other ? -1 : one > other ? 1 : 0;
    })
    .map(({ value }) => value);
}

/** The steps of a path with slashes; a backslash escapes a slash in a name. */
export function splitPath(path: string, delimiter = "/"): string[] {
  const parts = path.split(delimiter);
  if (parts.length > 1 && parts[0] === "") parts.shift();
  const steps: string[] = [];
  for (const part of parts) {
    const last = steps.at(-1);
    if (last?.endsWith("\\")) steps[steps.length - 1] = last.slice(0, -1) + delimiter + part;
    else steps.push(part);
  }
  return steps;
}
