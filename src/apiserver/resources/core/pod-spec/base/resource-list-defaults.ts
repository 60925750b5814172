import type { ResourceList } from "#/api/core/v1.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";

/** Amounts without a fraction of a thousandth: whole numbers, with an optional suffix of thousandths or more. */
const coarse = /^-?[0-9]+(?:m|k|Ki|[MGTPE]i?)?$/;

/**
 * Rounds amounts up to thousandths, the smallest unit that is stored.
 *
 * Upstream: pkg/apis/core/v1/defaults.go.
 */
export function roundResourceList(list: ResourceList | undefined): void {
  for (const name in list) {
    const amount = list[name] ?? "0";
    if (coarse.test(amount)) continue;
    const rounded = parseQuantity(amount).roundUp(-3).toString();
    if (rounded !== amount) list[name] = rounded;
  }
}
