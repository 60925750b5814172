/** Upstream: github.com/spf13/cobra/completions.go. */

/** Directives for the shell: bits that can be combined. */
export const directive = {
  default: 0,
  error: 1,
  /** No space after the only suggestion. */
  noSpace: 2,
  /** No file completion. */
  noFiles: 4,
  /** Suggestions are file extensions. */
  filterExtensions: 8,
  /** Folders only. */
  filterFolders: 16,
  /** Not sorted. */
  keepOrder: 32,
} as const;

const names: readonly (readonly [number, string])[] = [
  [directive.error, "Error"],
  [directive.noSpace, "NoSpace"],
  [directive.noFiles, "NoFileComp"],
  [directive.filterExtensions, "FilterFileExt"],
  [directive.filterFolders, "FilterDirs"],
  [directive.keepOrder, "KeepOrder"],
];

/** A directive in words, for debugging. */
export function directiveText(value: number): string {
  const found = names.filter(([bit]) => (value & bit) !== 0).map(([, name]) => name);
  return (found.length === 0 ? ["Default"] : found)
    .map((name) => `ShellCompDirective${name}`)
    .join(", ");
}
