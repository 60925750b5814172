import { type APIService, apiServices } from "#/api/apiregistration/v1.ts";
import { services } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { connectionFailure } from "../../facts/connection-failure.ts";
import { isStarting } from "../../facts/starting.ts";

export const apiServiceUnavailable = cause<APIService>({
  name: "api-service-unavailable",
  layer: "service",
  of: [apiServices],
  find({ spec, status }, view) {
    const condition = findCondition(status?.conditions, "Available");
    if (!condition || condition.status === "True") return undefined;
    const { namespace, name = "" } = spec?.service ?? {};
    const absent = name !== "" && view.isAbsent(services, { namespace, name });
    if (!absent && isStarting(condition, view.nowMs)) return undefined;
    const message = condition.message ?? "";
    const why = absent
      ? `its Service ${namespace}/${name} does not exist`
      : (connectionFailure(message) ?? oneLine(message, 200));
    return {
      sentence: `the API ${spec?.group}/${spec?.version} is not available (${condition.reason}): ${why}`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: name
        ? [
            `kubectl -n ${namespace} why service/${name}`,
            "# or delete the APIService if its server is gone",
          ]
        : [],
    };
  },
});
