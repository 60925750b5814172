/** Upstream: github.com/spf13/cobra/command.go (SuggestionsFor). */
import { editDistance } from "#/std/text/edit-distance.ts";
import type { CommandEntry } from "./command.ts";

/** Limit of differing letters (count). */
const maxDistance = 2;

/** Names of commands similar to a mistyped one. */
export function suggestionsFor(typed: string, commands: readonly CommandEntry[]): string[] {
  const lower = typed.toLowerCase();
  return commands
    .filter(({ name, hidden, suggestFor = [] }) => {
      if (hidden) return false;
      const isNear = editDistance(lower, name.toLowerCase()) <= maxDistance;
      return (
        isNear ||
        name.toLowerCase().startsWith(lower) ||
        suggestFor.some((word) => word.toLowerCase() === lower)
      );
    })
    .map(({ name }) => name);
}
