/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { ResourceQuota } from "#/api/core/v1.ts";
import { parseQuantity, quantityOf } from "#/machinery/values/quantity.ts";
import { sorted } from "../parts/data-entries.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import type { Description } from "../parts/description.ts";

const scopeTexts: Readonly<Record<string, string>> = {
  Terminating:
    "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.",
  NotTerminating:
    "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.",
  BestEffort:
    "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
  NotBestEffort:
    "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.",
};

export function quotaScopes(
  to: Description,
  { spec }: ResourceQuota,
  { level, bullet }: { readonly level: number; readonly bullet: string },
): void {
  const scopes = (spec?.scopes ?? []).toSorted();
  if (scopes.length === 0) return;
  to.field(level, "Scopes", scopes.join(", "));
  for (const scope of scopes) {
    if (scopeTexts[scope]) to.write(level, `${bullet}${scopeTexts[scope]}\n`);
  }
}

const describeQuota: Describer = (to, { object }) => {
  const quota = object as unknown as ResourceQuota;
  to.field(0, "Name", quota.metadata?.name ?? "");
  to.field(0, "Namespace", quota.metadata?.namespace ?? "");
  quotaScopes(to, quota, { level: 0, bullet: " * " });
  to.write(0, "Resource\tUsed\tHard\n");
  to.write(0, "--------\t----\t----\n");
  for (const [name, text] of sorted(quota.status?.hard)) {
    const hard = parseQuantity(text);
    const used = parseQuantity(quota.status?.used?.[name] ?? "0");
    const same = used.format === hard.format ? used : quantityOf(used.value(), hard.format);
    to.write(0, `${name}\t${same.toString()}\t${hard.toString()}\n`);
  }
};

export const resourceQuota: KindDescriber = { describe: describeQuota, events: "none" };
