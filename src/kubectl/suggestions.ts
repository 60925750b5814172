/** Upstream: github.com/spf13/cobra/command.go (SuggestionsFor). */
import type { CommandEntry } from "./command.ts";

/** How many letters may differ. */
const maxDistance = 2;

/** The names of commands that somebody may have meant. */
export function suggestionsFor(typed: string, commands: readonly CommandEntry[]): string[] {
  const lower = typed.toLowerCase();
  return commands
    .filter(({ name, hidden, suggestFor = [] }) => {
      if (hidden) return false;
      const isNear = distance(lower, name.toLowerCase()) <= maxDistance;
      return (
        isNear ||
        name.toLowerCase().startsWith(lower) ||
        suggestFor.some((word) => word.toLowerCase() === lower)
      );
    })
    .map(({ name }) => name);
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const least = Math.min(row[j] ?? 0, next[j - 1] ?? 0, row[j - 1] ?? 0);
      next.push(same ? (row[j - 1] ?? 0) : least + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
