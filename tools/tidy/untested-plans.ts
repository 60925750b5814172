import {
  type Finding,
  importsOf,
  lineAt,
  resolveSpecifier,
  type SourceFile,
} from "./source-file.ts";

/** A decision, by its name: a pure function of values. */
const planPattern = /^export (?:async )?function ((?:plan|decide|compute)(?:[A-Z]\w*)?)\b/gm;
const unitTest = /\.test\.ts$/;
/** Tests of whole programs; they show that a decision is used, not which cases it has. */
const notUnitTest = /^test\/|\.(integration|faults)\.test\.ts$/;

/** Every exported plan*, decide* or compute* of src is imported by a unit test, which has its table. */
export function checkUntestedPlans(files: readonly SourceFile[]): Finding[] {
  const tested = new Set(files.filter(isUnitTest).flatMap(importedNames));
  return files
    .filter(({ path }) => path.startsWith("src/") && !unitTest.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(planPattern)]
        .filter(([, name]) => !tested.has(`${path} ${name}`))
        .map((match) => ({
          path,
          line: lineAt(text, match.index),
          message: `no unit test imports ${match[1]}(): put its cases into a table beside it`,
        })),
    );
}

const isUnitTest = ({ path }: SourceFile): boolean =>
  unitTest.test(path) && !notUnitTest.test(path);

const namedImport = /import\s*(?:type\s*)?\{([^}]*)\}\s*from\s*["']([^"']+)["']/g;

/** The named imports of a file, as "path name". */
function importedNames(file: SourceFile): string[] {
  const known = new Set(importsOf(file).map(({ specifier }) => specifier));
  return [...file.text.matchAll(namedImport)].flatMap(([, names = "", specifier = ""]) => {
    const target = known.has(specifier) ? resolveSpecifier(file.path, specifier) : undefined;
    if (target === undefined) return [];
    return names.split(",").map((part) => `${target} ${nameOf(part)}`);
  });
}

/** "type X", "X as Y" and " X" are imports of X. */
const nameOf = (part: string): string =>
  part
    .trim()
    .replace(/^type\s+/, "")
    .split(/\s+as\s+/)[0] ?? "";
