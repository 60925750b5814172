/** Whether a list of verbs or groups contains a value or the wildcard. */
export function hasOrAll(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes(value) || list.includes("*"));
}

/** Whether a path pattern, which may end in a wildcard, matches another pattern. */
export function pathCovers(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(withoutStars(pattern));
}

/** The text before the wildcard at its end. */
export function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === "*") end--;
  return pattern.slice(0, end);
}
