/** The names that both patterns mean: the narrower of the two; undefined if there are none. "" is any name. */
function intersection(a: string, b: string): string | undefined {
  if (a === "" || a === b) return b;
  if (b === "") return a;
  if (isBelow(a, b)) return a;
  return isBelow(b, a) ? b : undefined;
}

/** Whether all names of a pattern are among those of a wildcard. */
const isBelow = (name: string, wildcard: string): boolean =>
  wildcard.startsWith("*.") &&
  name.endsWith(wildcard.slice(1)) &&
  name.length > wildcard.length - 1;

/** The names that a route has at a listener; empty if the listener is for others. */
export function commonHostnames(listener: string, route: readonly string[]): readonly string[] {
  if (route.length === 0) return [listener];
  const found = route.flatMap((name) => intersection(listener, name.toLowerCase()) ?? []);
  return [...new Set(found)];
}
