import { type FieldError, forbidden } from "../../meta/field-error.ts";
import type { FieldPath } from "../../meta/field-path.ts";
import { lesser } from "../model/range.ts";
import { maxUint64 } from "../value/uint.ts";

/**
 * Limit of the estimated cost of one expression of a schema, over all values for which it may be
 * evaluated.
 */
export const expressionCostLimit = 10_000_000n;

/** Limit of the estimated cost of all expressions of a schema. */
export const schemaCostLimit = 100_000_000n;

/** Limit of expressions named when the total cost is too high (count). */
const maxNamed = 4;

/** The error for an expression that costs too much. */
export function costProblem(name: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const shown =
    factor > 100 ? "more than 100" : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${name} exceeds budget by factor of ${shown}x (${advice})`;
}

/** Sums up the estimated costs of a schema's expressions. */
export class TotalCost {
  #total = 0n;
  #mostExpensive: { readonly path: FieldPath; readonly cost: bigint }[] = [];

  observe(path: FieldPath, cost: bigint): void {
    this.#total = lesser(this.#total + cost, maxUint64);
    if (cost < schemaCostLimit / 100n) return;
    this.#mostExpensive.push({ path, cost });
    this.#mostExpensive.sort((a, b) => Number(b.cost > a.cost) - Number(b.cost < a.cost));
    this.#mostExpensive = this.#mostExpensive.slice(0, maxNamed);
  }

  /** The errors if the total exceeds a limit. `path` is that of the schema. */
  problems(path: FieldPath, limit: bigint): FieldError[] {
    if (this.#total <= limit) return [];
    const detail =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#mostExpensive.map((expensive) => forbidden(expensive.path, detail)),
      forbidden(path, costProblem(name, this.#total, limit)),
    ];
  }
}
