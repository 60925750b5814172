import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, resolveSpecifier, type SourceFile } from "./source-file.ts";

/** A name that a module exports. */
export interface Export {
  readonly path: string;
  readonly name: string;
  readonly isType: boolean;
  /** Where its statement begins. */
  readonly index: number;
}

/** A file that imports a name. */
interface Use {
  readonly path: string;
  readonly asType: boolean;
}

/** The generated API is complete on purpose. */
const complete = /^src\/api\//;

/**
 * Every export of a module of src is used by another module. Tests count where they import a type, which describes what
 * they call; a value that only tests import is deleted, used, or moved into a module of its own that its user imports.
 * Exceptions are named in `seams`, as `path#name`.
 */
export function checkExports(
  files: readonly SourceFile[],
  seams: ReadonlySet<string> = new Set(),
): Finding[] {
  const uses = usesOf(files);
  return files
    .filter(({ path }) => path.startsWith("src/") && !complete.test(path) && !isTest(path))
    .flatMap((file) =>
      exportsOf(file).flatMap(({ path, name, isType, index }) => {
        const users = [...(uses.get(`${path}#${name}`) ?? []), ...(uses.get(`${path}#*`) ?? [])];
        const counted = isType ? users : users.filter((user) => !isTest(user.path) || user.asType);
        if (counted.length > 0 || seams.has(`${path}#${name}`)) return [];
        const tests = users.length > 0 ? "only tests use" : "no other module uses";
        return [{ path, line: lineAt(file.text, index), message: `${tests} the export ${name}` }];
      }),
    );
}

const declaration =
  /^export (?:declare )?(?:async |abstract )?(function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm;
const destructured = /^export const \{([^}]*)\}/gm;
const list = /^export (type )?\{([^}]*)\}/gm;

/** Every name that a file exports. */
export function exportsOf({ path, text }: SourceFile): Export[] {
  const code = blankLiterals(text);
  const declared = [...code.matchAll(declaration)].map(({ 1: kind, 2: name = "", index }) => {
    return { path, name, isType: kind === "interface" || kind === "type", index };
  });
  const taken = [...code.matchAll(destructured)].flatMap(({ 1: names = "", index }) =>
    namesIn(names, ":").map(({ local }) => ({ path, name: local, isType: false, index })),
  );
  const listed = [...code.matchAll(list)].flatMap(({ 1: allTypes, 2: names = "", index }) =>
    namesIn(names, " as ").map(({ local, isType }) => {
      return { path, name: local, isType: isType || allTypes !== undefined, index };
    }),
  );
  return [...declared, ...taken, ...listed];
}

const fromClause =
  /\b(?:im|ex)port\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+)\s+from\s*(["']) *\2/g;
const dynamic = /(?:const\s+(\{[^}]*\})\s*=\s*await\s+)?\bimport\s*\(\s*(["']) *\2/g;

/** The files that use a name, by `path#name`; `path#*` stands for all names of a module. */
function usesOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, Use[]>();
  for (const { path, text } of files) {
    const code = blankLiterals(text);
    for (const match of [...code.matchAll(fromClause), ...code.matchAll(dynamic)]) {
      const target = resolveSpecifier(path, quotedAtEnd(text, match.index + match[0].length));
      if (target === undefined) continue;
      const [, clause = "*"] = match;
      const separator = match[0].startsWith("const") ? ":" : " as ";
      const allTypes = /^(im|ex)port\s+type\b/.test(match[0]);
      const names = clause.startsWith("{")
        ? namesIn(clause.slice(1, -1), separator)
        : [{ name: "*", isType: false }];
      for (const { name, isType } of names) {
        add(uses, `${target}#${name}`, { path, asType: allTypes || isType });
      }
    }
  }
  return uses;
}

function add(uses: Map<string, Use[]>, key: string, use: Use): void {
  const known = uses.get(key);
  if (known) known.push(use);
  else uses.set(key, [use]);
}

/** The text in quotation marks that ends at a position. */
function quotedAtEnd(text: string, end: number): string {
  const quote = text[end - 1] ?? "";
  return text.slice(text.lastIndexOf(quote, end - 2) + 1, end - 1);
}

/** The names of a list such as `a, type B as C`: the exported and the local one. */
function namesIn(
  names: string,
  separator: string,
): { readonly name: string; readonly local: string; readonly isType: boolean }[] {
  return names
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const [name = "", local = name] = part.replace(/^type /, "").split(separator);
      return { name: name.trim(), local: local.trim(), isType: part.startsWith("type ") };
    });
}
