import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** Folders that serve every kind alike. */
const generic = [
  /^src\/(machinery|client|controller|storage|apiserver\/(model|outgoing|registry|http|verbs|admission\/base))\//,
  /^src\/apiserver\/admission\/[^/]+\.ts$/,
];

/** Kinds of the machinery itself, which no resource has. */
const metaKind = /^(List|Status|Table|PartialObjectMetadata(List)?|WatchEvent|\w+Options)$/;

/** What a kind looks like, unlike the tags of our own unions (`identifier`, `NUM_INT`). */
const kindName = /"([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)"/;

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
    const kind = kindName.exec(source)?.[1];
    if (!kind || metaKind.test(kind)) return [];
    const message = `generic code knows no ${kind}: let the resource's declaration say it`;
    return [{ path, line: lineAt(text, match.index), message }];
  });
}
