import type { Taint, TaintEffect } from "#/api/core/v1.ts";
import { isLabelValue, isQualifiedName } from "../meta/names.ts";
import { deepEqual } from "../objects/deep-equal.ts";

/** Whether two taints have the same key and effect; a node has at most one of them. */
export function sameTaint(a: Taint, b: Pick<Taint, "key" | "effect">): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** A taint as messages show it: key=value:effect. */
export function formatTaint({ key, value, effect }: Taint): string {
  if (!effect) return value ? `${key}=${value}:` : key;
  return value ? `${key}=${value}:${effect}` : `${key}:${effect}`;
}

/** The taints with one added or replaced; the same list instance if it is already there. */
export function withTaint(taints: readonly Taint[] | undefined, taint: Taint): readonly Taint[] {
  const list = taints ?? [];
  const at = list.findIndex((one) => sameTaint(one, taint));
  if (at < 0) return [...list, taint];
  return deepEqual(list[at], taint) ? list : list.with(at, taint);
}

/** An invalid taint; the message is upstream's. */
class TaintError extends Error {
  override readonly name = "TaintError";
}

/** Changes to a node's taints from a command line. */
export interface TaintRequest {
  readonly add: readonly Taint[];
  /** An effect of undefined means all effects. */
  readonly remove: readonly { readonly key: string; readonly effect: TaintEffect | undefined }[];
}

/**
 * Reads taints in the syntax of commands: `key=value:effect` and `key:effect` to add, `key:effect-`
 * and `key-` to remove. Throws TaintError.
 *
 * Upstream: pkg/util/taints/taints.go.
 */
export function parseTaints(specs: readonly string[]): TaintRequest {
  const add: Taint[] = [];
  const remove: TaintRequest["remove"][number][] = [];
  for (const spec of specs) {
    if (spec.endsWith("-")) {
      const { key, effect } = parseTaint(spec.slice(0, -1));
      remove.push({ key, effect });
      continue;
    }
    const { key, value, effect } = parseTaint(spec);
    if (effect === undefined) throw new TaintError(`invalid taint spec: ${spec}`);
    const taint = value === "" ? { key, effect } : { key, value, effect };
    if (add.some((other) => sameTaint(other, taint))) {
      const shown = `{${key} ${value} ${effect} <nil>}`;
      throw new TaintError(`duplicated taints with the same key and effect: ${shown}`);
    }
    add.push(taint);
  }
  return { add, remove };
}

const effects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function parseTaint(spec: string): { key: string; value: string; effect: TaintEffect | undefined } {
  const invalid = (problems: readonly string[] = []): TaintError => {
    const list = problems.length === 0 ? "" : `, ${problems.join("; ")}`;
    return new TaintError(`invalid taint spec: ${spec}${list}`);
  };
  const [pair = "", effect, ...rest] = spec.split(":");
  if (rest.length > 0) throw invalid();
  if (effect !== undefined && !effects.includes(effect)) {
    throw new TaintError(`invalid taint effect: ${effect}, unsupported taint effect`);
  }
  const [key = "", value = "", ...more] = effect === undefined ? [pair] : pair.split("=");
  if (more.length > 0) throw invalid();
  const problems = [isLabelValue(value), isQualifiedName(key)].find((list) => list.length > 0);
  if (problems !== undefined) throw invalid(problems);
  return { key, value, effect: effect as TaintEffect | undefined };
}
