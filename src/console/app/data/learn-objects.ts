import { fieldIs, resourcePath } from "../model/api-resource.ts";
import {
  type Recipe,
  recipeLabel,
  recipeObjects,
  recipeResources,
  recipeService,
} from "../model/lessons.ts";
import type { ApiObject } from "../model/object.ts";
import { ApiFailure, getJson, send } from "./api.ts";
import { findResource } from "./discovery.ts";
import { may } from "./permissions.ts";

const absentStatus = 404;
const owner = "fieldManager=k8ts-console";

/** Makes the objects of a recipe; resolves with the one to follow. */
export async function makeRecipe(recipe: Recipe, image: string, ns: string): Promise<ApiObject> {
  await ensureService(ns);
  let last: ApiObject | undefined;
  for (const { resource, object } of recipeObjects(recipe, image)) {
    const found = findResource(resource);
    if (!found) throw new Error(`the server has no ${resource}`);
    const path = `${resourcePath(found, ns)}?${owner}`;
    last = await getJson<ApiObject>(path, { method: "POST", body: object });
  }
  if (!last) throw new Error(`the recipe ${recipe} is empty`);
  return last;
}

/** Whether the user may make the objects of a recipe. */
export const mayMake = (recipe: Recipe, ns: string): boolean =>
  recipeObjects(recipe, "").every(({ resource }) => {
    const found = findResource(resource);
    return found && may({ verb: "create", group: found.group, resource: found.resource }, ns);
  });

/** A Service for the Pods, so that their way goes through the last layer, too; they start without one as well. */
async function ensureService(ns: string): Promise<void> {
  const services = { group: "", resource: "services" };
  if (!may({ verb: "create", ...services }, ns) || !may({ verb: "list", ...services }, ns)) return;
  const path = `/api/v1/namespaces/${ns}/services`;
  const own = `${path}?fieldSelector=${fieldIs("metadata.name", recipeService.metadata.name)}`;
  const { items = [] } = await getJson<{ items?: readonly ApiObject[] }>(own);
  if (items.length === 0) await send(`${path}?${owner}`, { method: "POST", body: recipeService });
}

/** Deletes whatever the recipes have made in a namespace. Rejects with the first failure, after having tried all. */
export async function removeRecipes(ns: string): Promise<void> {
  const failures: Error[] = [];
  const remove = (path: string) =>
    send(path, { method: "DELETE" }).catch((error: Error) => {
      if (!(error instanceof ApiFailure) || error.status !== absentStatus) failures.push(error);
    });
  for (const name of recipeResources) {
    const found = findResource(name);
    if (!found) continue;
    const { group, resource } = found;
    if (!may({ verb: "list", group, resource }, ns)) continue;
    // Services have no request for all: each is deleted alone.
    const selected = `${resourcePath(found, ns)}?labelSelector=${recipeLabel}`;
    const { items = [] } = await getJson<{ items?: readonly ApiObject[] }>(selected);
    for (const { metadata } of items) await remove(resourcePath(found, ns, metadata.name));
  }
  if (may({ verb: "delete", group: "", resource: "services" }, ns))
    await remove(`/api/v1/namespaces/${ns}/services/${recipeService.metadata.name}`);
  if (failures[0]) throw failures[0];
}
