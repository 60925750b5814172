/** Go's filepath.Match() for a name without separators; false where Go reports a bad pattern. */
export function fileMatches(pattern: string, name: string): boolean {
  const parts = parsePattern(pattern);
  if (!parts) return false;
  let [at, part] = [0, 0];
  // Where to go on after a mismatch: the last "*" takes one character more. Earlier ones need not change.
  let retry: { readonly part: number; at: number } | undefined;
  const characters = Array.from(name);
  while (at < characters.length || part < parts.length) {
    const matcher = parts[part];
    if (matcher === "*") {
      retry = { part: part++, at: at + 1 };
      continue;
    }
    const character = characters[at];
    if (matcher && character !== undefined && matcher(character)) {
      at++;
      part++;
      continue;
    }
    if (!retry || retry.at > characters.length) return false;
    at = retry.at;
    part = retry.part;
  }
  return true;
}

type Matcher = "*" | ((character: string) => boolean);

/** Undefined if the pattern is bad. */
function parsePattern(pattern: string): readonly Matcher[] | undefined {
  const parts: Matcher[] = [];
  const token =
    /(\*)|(\?)|\[(\^?)((?:(?:\\.|[^\]\\-])(?:-(?:\\.|[^\]\\-]))?)+)\]|\\(.)|([^[\\])/suy;
  while (token.lastIndex < pattern.length) {
    const found = token.exec(pattern);
    if (!found) return undefined;
    const [, star, any, negated, set, escaped, plain] = found;
    if (star) parts.push("*");
    else if (any) parts.push((character) => character !== "/");
    else if (set !== undefined) parts.push(parseSet(set, negated === "^"));
    else parts.push((character) => character === (escaped ?? plain));
  }
  return parts;
}

function parseSet(set: string, isNegated: boolean): (character: string) => boolean {
  const ranges = Array.from(set.matchAll(/\\?(.)(?:-\\?(.))?/gsu), ([, low = "", high = low]) => [
    low.codePointAt(0) ?? 0,
    high.codePointAt(0) ?? 0,
  ]);
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    return ranges.some(([low = 0, high = 0]) => low <= code && code <= high) !== isNegated;
  };
}
