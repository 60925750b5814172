import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** Folders that serve every kind alike. */
const generic = [
  /^src\/(machinery|client|controller|storage|apiserver\/(http|verbs|registry))\//,
  /^src\/apiserver\/admission\/(admission|chain|index|plugin)\.ts$/,
];

/** Kinds of the machinery itself, which no resource has. */
const metaKinds = new Set(["List", "Status", "Table", "PartialObjectMetadata", "WatchEvent"]);

const comparison = /\bkind\s*[!=]==?\s*"( *)"|"( *)"\s*[!=]==?\s*[\w.?]*\bkind\b/g;

/** Generic code knows no kinds: a resource says what is special about it in its declaration. */
export function checkKindBranches(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ path }) => isGeneric(path) && !isTest(path)).flatMap(fileFindings);
}

function isGeneric(path: string): boolean {
  return generic.some((pattern) => pattern.test(path));
}

function fileFindings({ path, text }: SourceFile): Finding[] {
  return [...blankLiterals(text).matchAll(comparison)].flatMap((match) => {
    const source = text.slice(match.index, match.index + match[0].length);
    const kind = /"([A-Z]\w*)"/.exec(source)?.[1];
    if (!kind || metaKinds.has(kind)) return [];
    const message = `generic code knows no ${kind}: let the resource's declaration say it`;
    return [{ path, line: lineAt(text, match.index), message }];
  });
}
