/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { LimitRange } from "#/api/core/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import type { Description } from "../parts/description.ts";

const limitColumns =
  "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n";

const limitRule =
  "----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n";

export function limitTable(to: Description, ranges: readonly LimitRange[], prefix: string): void {
  to.write(0, `${prefix}${limitColumns}`);
  to.write(0, `${prefix}${limitRule}`);
  for (const {
    type,
    min,
    max,
    defaultRequest,
    default: standard,
    maxLimitRequestRatio,
  } of ranges.flatMap(({ spec }) => spec?.limits ?? [])) {
    const lists = [min, max, defaultRequest, standard, maxLimitRequestRatio];
    for (const name of new Set(lists.flatMap((list) => Object.keys(list ?? {})).sort())) {
      to.write(
        0,
        `${prefix}${type}\t${name}\t${lists.map((list) => list?.[name] ?? "-").join("\t")}\n`,
      );
    }
  }
}

const describeLimitRange: Describer = (to, { object }) => {
  to.field(0, "Name", object.metadata?.name ?? "");
  to.field(0, "Namespace", object.metadata?.namespace ?? "");
  limitTable(to, [object as unknown as LimitRange], "");
};

export const limitRange: KindDescriber = { describe: describeLimitRange, events: "none" };
