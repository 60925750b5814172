import { resources } from "#/api/index.ts";
import type { Resource } from "#/api/resource.ts";
import { type Declaration, serve } from "../registry/strategy.ts";
import { apiextensionsResources } from "./apiextensions/index.ts";
import { appsResources } from "./apps/index.ts";
import { authenticationResources } from "./authentication/index.ts";
import { authorizationResources } from "./authorization/index.ts";
import { batchResources } from "./batch/index.ts";
import { rbacResources } from "./rbac/index.ts";

/** Resources with hooks of their own, group by group. */
const declared: readonly Declaration[] = [
  ...apiextensionsResources,
  ...authenticationResources,
  ...authorizationResources,
  ...rbacResources,
  ...appsResources,
  ...batchResources,
];

/** Every built-in resource; those that declare nothing special are served as they are. */
export const builtInResources: readonly Declaration[] = [...declared, ...plain()];

function plain(): Declaration[] {
  const known = new Set(
    declared.flatMap(({ versions }) => versions.map(({ handle }) => pathOf(handle))),
  );
  const rest = resources.filter(
    (handle) => handle.verbs.includes("watch") && !known.has(pathOf(handle)),
  );
  const byName = Map.groupBy(rest, ({ group, name }) => `${group}/${name}`);
  return [...byName.values()].flatMap(([stored, ...others]) =>
    stored ? [serve(stored, { status: true, versions: others.map((handle) => ({ handle })) })] : [],
  );
}

function pathOf({ group, version, name }: Resource): string {
  return `${group}/${version}/${name}`;
}
