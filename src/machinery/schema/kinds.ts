import { loadFacts } from "#/api/base/load-facts.ts";
import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import { groupVersions } from "#/api/group-versions.ts";
import { findDefinition } from "./definitions.ts";

/** Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/register.go. */
const meta = "meta/v1";

/** Kinds of metav1 that belong to every group version. */
const sharedKinds: readonly string[] = [
  "CreateOptions",
  "DeleteOptions",
  "GetOptions",
  "ListOptions",
  "PatchOptions",
  "UpdateOptions",
  "WatchEvent",
];

/** Kinds of metav1 that always have the apiVersion v1. */
const unversionedKinds: readonly string[] = [
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "Status",
];

/** The schema of a kind, including lists and options; undefined for kinds that are not built in. */
export function findSchema(group: string, version: string, kind: string): StructSchema | undefined {
  const file = files.get(`${group}/${version}`);
  if (file === undefined) return undefined;
  const home = loadFacts(file).kinds.includes(kind)
    ? file
    : isShared(file, kind)
      ? meta
      : undefined;
  const found = home === undefined ? undefined : findDefinition(home, kind);
  return found?.type === "struct" ? found : undefined;
}

/** The schema of the objects of a built-in resource. */
export function schemaOf({ group, version, kind }: Resource): StructSchema {
  const found = findSchema(group, version, kind);
  if (!found) throw new Error(`no schema for ${kind} of ${group}/${version}`);
  return found;
}

/**
 * Every kind of a group version in alphabetical order: its own, their lists, and those of metav1;
 * empty if it is unknown.
 */
export function kindsOf(group: string, version: string): readonly string[] {
  const file = files.get(`${group}/${version}`);
  if (file === undefined) return [];
  const unversioned = file === core ? unversionedKinds : [];
  return [...loadFacts(file).kinds, ...sharedKinds, ...unversioned].sort();
}

const core = "core/v1";

const files: ReadonlyMap<string, string> = new Map(
  groupVersions.map(({ group, version, file }) => [`${group}/${version}`, file]),
);

function isShared(file: string, kind: string): boolean {
  return sharedKinds.includes(kind) || (file === core && unversionedKinds.includes(kind));
}
