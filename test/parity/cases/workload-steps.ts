import type { Case, Step } from "../case.ts";
import { create } from "./steps.ts";

/** Deletes an object. */
export const remove = (path: string): Step => ({ method: "DELETE", path });

/** Reads as a table, as kubectl does; the objects of the rows are omitted. */
export const table = (path: string): Step => ({
  method: "GET",
  path: `${path}${path.includes("?") ? "&" : "?"}includeObject=None`,
  headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
});

/** A case for each series of steps, all of which begin with the creation of one object. */
export const afterCreate = (
  path: string,
  first: object,
  steps: Readonly<Record<string, Step[]>>,
): Case[] =>
  Object.entries(steps).map(([name, more]) => ({ name, steps: [create(path, first), ...more] }));
