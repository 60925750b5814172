/** Upstream: staging/src/k8s.io/kubectl/pkg/metricsutil. */

import { parseQuantity, type Quantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { goSort } from "#/std/go/go-sort.ts";

/** Amounts of resources by name, as the API has them. */
export type Amounts = Readonly<Record<string, string>>;

/** The measured resources, in the order of columns. */
export type Measured = "cpu" | "memory" | "swap";

const mebibyte = 1024 * 1024;
const unknown = "<unknown>";

/** The resources that are printed. */
export function measuredResources(withSwap: boolean): Measured[] {
  return withSwap ? ["cpu", "memory", "swap"] : ["cpu", "memory"];
}

/** One of the amounts; zero if there is none. */
function amountOf(amounts: Amounts | undefined, resource: Measured): Quantity {
  const text = amounts?.[resource];
  // A custom server may send a number.
  return text === undefined ? zeroQuantity : parseQuantity(String(text));
}

/** The sum of amounts; each may lack some of the resources. */
export function sumOf(all: readonly (Amounts | undefined)[]): Amounts {
  const total = (resource: Measured): string =>
    all.reduce((sum, amounts) => sum.add(amountOf(amounts, resource)), zeroQuantity).toString();
  return { cpu: total("cpu"), memory: total("memory"), swap: total("swap") };
}

/** An amount as printed: thousandths of a core, or mebibytes. */
function usageText(resource: Measured, amount: Quantity): string {
  if (resource === "cpu") return `${amount.milliValue()}m`;
  return `${Math.trunc(amount.value() / mebibyte)}Mi`;
}

/** An amount, and its percentage of the available amount if that is known. */
export function usageCells(
  resource: Measured,
  used: Amounts | undefined,
  available: Amounts | undefined,
): string[] {
  const amount = amountOf(used, resource);
  const shown = usageText(resource, amount);
  if (available?.[resource] === undefined) return [shown];
  const whole = amountOf(available, resource);
  const percent = whole.isZero ? 0 : (amount.milliValue() / whole.milliValue()) * 100;
  return [shown, `${Math.trunc(percent)}%`];
}

/** Text for an unknown amount, and for its percentage. */
export const unknownCells: readonly string[] = [unknown, unknown];

/** A line of cells; each ends with a tab, including the last. */
export function usageLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `${cell}\t`).join("")}\n`;
}

/** Sorts by one of the amounts, the highest first; else by name. */
export function sortedByUsage<T>(
  all: readonly T[],
  sortBy: string,
  { usage, name }: { usage: (each: T) => Amounts | undefined; name: (each: T) => string },
): T[] {
  if (sortBy === "") return goSort(all, (a, b) => name(a) < name(b));
  const amount = (each: T): number =>
    sortBy === "cpu"
      ? amountOf(usage(each), "cpu").milliValue()
      : amountOf(usage(each), "memory").value();
  return goSort(all, (a, b) => amount(a) > amount(b));
}
