import type { KernelChange } from "#/std/kernel/kernel-changes.ts";

/** Two changes of the same file or module as one, whose undoing leaves the value that was there before both. */
export function mergeChanges(known: KernelChange, other: KernelChange): KernelChange {
  if (!("file" in known) || !("file" in other)) return known;
  if (other.before === known.after) return { ...known, after: other.after };
  if (known.before === other.after) return { ...other, after: known.after };
  // The kernel has rounded the value, or an administrator has changed it in between: the last value counts.
  return { ...known, after: other.after };
}
