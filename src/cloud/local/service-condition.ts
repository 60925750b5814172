import { type Service, services } from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { findCondition, withCondition } from "#/machinery/meta/conditions.ts";
import { patchObject } from "../base/patch-object.ts";

interface WantedCondition {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** Writes one condition of a Service, or removes it if it is undefined. Returns whether it is another one now. */
export async function setServiceCondition(
  service: Service,
  [type, wanted]: readonly [type: string, WantedCondition | undefined],
  { client, clock }: Pick<ControllerContext, "client" | "clock">,
): Promise<boolean> {
  const conditions = service.status?.conditions ?? [];
  const present = findCondition(conditions, type);
  if (present?.status === wanted?.status && present?.message === wanted?.message) return false;
  const updated = wanted
    ? withCondition(conditions, { type, ...wanted }, clock.now())
    : conditions.filter((condition) => condition.type !== type);
  const to = { ...service, status: { ...service.status, conditions: [...updated] } };
  await patchObject(client, services, { from: service, to }, { subresource: "status" });
  return true;
}
