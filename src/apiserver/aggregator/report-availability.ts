import type { APIService } from "#/api/apiregistration/v1.ts";
import { withDatedCondition } from "#/machinery/meta/conditions.ts";
import { loopback } from "../auth/base/loopback.ts";
import type { Handler } from "../model/exchange.ts";
import type { Unavailable } from "./check-service.ts";

/** Writes the Available condition of an APIService, if it has changed. */
export async function reportAvailability(
  handler: Handler,
  apiService: APIService,
  problem: Unavailable | undefined,
  now: string,
): Promise<void> {
  const condition = {
    type: "Available",
    status: problem ? "False" : "True",
    lastTransitionTime: now,
    reason: problem?.reason ?? "Passed",
    message: problem?.message ?? "all checks passed",
  };
  const old = apiService.status?.conditions ?? [];
  const conditions = withDatedCondition(old, condition);
  if (conditions === old) return;
  const url = `/apis/apiregistration.k8s.io/v1/apiservices/${apiService.metadata.name}/status`;
  await loopback(handler, "PUT", url, { ...apiService, status: { conditions } });
}
