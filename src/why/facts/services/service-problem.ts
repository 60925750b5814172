import { services } from "#/api/core/v1.ts";
import type { ObjectRef } from "#/client/resource-path.ts";
import type { View } from "../../base/view.ts";
import { readyEndpoints } from "./service-pods.ts";

/** Why a Service cannot be called, as the end of a sentence; undefined if it can, or if that is unknown. */
export function serviceProblem(ref: ObjectRef, view: View): string | undefined {
  const found = view.lookup(services, ref);
  if (found.state === "absent") return "does not exist";
  if (found.state !== "found") return undefined;
  return readyEndpoints(found.value, view) === 0 ? "has no ready endpoint" : undefined;
}
