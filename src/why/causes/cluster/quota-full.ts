import { type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { cause } from "../../base/cause.ts";

export const quotaFull = cause<ResourceQuota>({
  name: "quota-full",
  layer: "admission",
  of: [resourceQuotas],
  find({ status, metadata }) {
    const { hard = {}, used = {} } = status ?? {};
    const full = Object.entries(hard).filter(
      ([resource, limit]) =>
        parseQuantity(used[resource] ?? "0").compare(parseQuantity(limit)) >= 0,
    );
    if (full.length === 0) return undefined;
    const list = full.map(
      ([resource, limit]) => `${resource}: ${used[resource] ?? "0"} of ${limit}`,
    );
    return {
      sentence: `it is used up, and more is refused (${list.join("; ")})`,
      fix: [`kubectl edit resourcequota ${metadata.name}`, "# or delete what is not needed"],
    };
  },
});
