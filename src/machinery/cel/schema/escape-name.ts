/** Words that cannot be identifiers. */
import { table } from "#/std/base/table.ts";
export const reservedWords: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function"],
  ...["if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while"],
]);

const escapes: Readonly<Record<string, string>> = table({
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
});

const unescapes: ReadonlyMap<string, string> = new Map(
  Object.entries(escapes).map(([plain, escaped]) => [escaped, plain]),
);

/**
 * The identifier of a property in expressions; undefined for names that cannot have one.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/escaping.go.
 */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  if (reservedWords.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => escapes[part] ?? part);
}

/** The property name of an identifier; undefined for a malformed one. */
export function unescapeName(identifier: string): string | undefined {
  let valid = true;
  const name = identifier.replace(/__[^_]+__/g, (part) => {
    const plain = unescapes.get(part);
    if (plain !== undefined) return plain;
    const word = part.slice(2, -2);
    if (!reservedWords.has(word) || part.length !== identifier.length) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
