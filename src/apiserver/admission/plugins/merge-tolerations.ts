import type { Toleration } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";

/** Both lists as one, without tolerations that another one covers. Upstream: pkg/util/tolerations/tolerations.go. */
export function mergeTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  all.forEach((toleration, index) => {
    if (merged.some((kept) => covers(kept, toleration))) return;
    const later = all.slice(index + 1);
    if (later.some((other) => !deepEqual(toleration, other) && covers(other, toleration))) return;
    merged.push(toleration);
  });
  return merged;
}

/** Whether each toleration is covered by some entry of a list; an empty list covers all. */
export function allCovered(
  tolerations: readonly Toleration[],
  list: readonly Toleration[],
): boolean {
  if (list.length === 0) return true;
  return tolerations.every((toleration) => list.some((entry) => covers(entry, toleration)));
}

/** Whether a toleration tolerates everything that another does. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  if ((narrow.key ?? "") !== (wide.key ?? "") && (wide.key || wide.operator !== "Exists")) {
    return false;
  }
  if (wide.effect && narrow.effect !== wide.effect) return false;
  if (wide.effect === "NoExecute" && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined) return false;
    if (narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === "Exists") return true;
  if (wide.operator && wide.operator !== "Equal") return false;
  return narrow.operator === "Equal" && (narrow.value ?? "") === (wide.value ?? "");
}
