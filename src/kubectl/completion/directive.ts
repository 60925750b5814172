/** Upstream: github.com/spf13/cobra/completions.go. */

/** What a shell is to do with suggestions; bits that may be added. */
export const directive = {
  default: 0,
  error: 1,
  /** No space after the only one. */
  noSpace: 2,
  /** No files instead. */
  noFiles: 4,
  /** Suggestions are extensions of files. */
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

/** A directive in words, as people see it who look for a mistake. */
export function directiveText(value: number): string {
  const found = names.filter(([bit]) => (value & bit) !== 0).map(([, name]) => name);
  return (found.length === 0 ? ["Default"] : found)
    .map((name) => `ShellCompDirective${name}`)
    .join(", ");
}
