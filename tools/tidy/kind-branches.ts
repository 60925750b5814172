import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** Parts for certain kinds: a gate or controller of the API server, a cluster's first objects, Events. */
const ownKinds =
  /^src\/(client\/events|apiserver\/(admission\/(plugins|policy|request|webhook)|aggregator|auth|bootstrap|crd|elections|fairness|proxy|resources))\//;

/** Folders that serve every kind in the same way. The rest of `machinery` is the rules of certain kinds. */
const generic =
  /^src\/(apiserver|client|controller|machinery\/(apply|cel|codec|component|jsonpath|meta|objects|patch|schema|structural|time|values)|storage)\//;

/** Kinds of the machinery itself, which no resource has, and the kinds of files. */
const metaKind =
  /^(List|Status|Table|PartialObjectMetadata(List)?|WatchEvent|\w+Options|\w+(Review|Configuration|DiscoveryList)|Policy)$/;

/** The form of a kind, unlike the tags of our own unions (`identifier`, `NUM_INT`). */
const kindName = /"([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)"/;

const comparison = /\bkind\s*[!=]==?\s*"( *)"|"( *)"\s*[!=]==?\s*[\w.?]*\bkind\b/g;
/** A comparison with the plural of a resource. */
const pluralComparison = /\b(?:resource|name|plural)\s*[!=]==?\s*"( *)"/g;
/** A lookup of a store or a resource by text. */
const lookup = /\b(?:store|resource|findResource|find)\(\s*(?:\{\s*group:\s*)?"( *)",[^()]*"( *)"/g;
/** Handles of resources that are imported, besides types. */
const handles = /^import \{([^}]*)\} from "#\/api\/(?!base|meta)\w+\/v\w+\.ts";$/gm;

/**
 * Generic code names no kinds: the declaration of a resource has its special rules. Where the API server may name a
 * kind, it uses its handle, which the compiler checks.
 */
export function checkKindBranches(files: readonly SourceFile[]): Finding[] {
  const plurals = new Set(files.flatMap(pluralsOf));
  return files
    .filter(({ path }) => generic.test(path) && !isTest(path))
    .flatMap((file) => [
      ...(ownKinds.test(file.path) ? [] : branches(file, plurals)),
      ...lookups(file, plurals),
    ]);
}

/** The plural names of the resources that a generated file declares. */
function pluralsOf({ path, text }: SourceFile): string[] {
  if (!path.startsWith("src/api/")) return [];
  return Array.from(text.matchAll(/^ {2}name: "(\w+)",$/gm), ([, name = ""]) => name);
}

function branches(file: SourceFile, plurals: ReadonlySet<string>): Finding[] {
  const kinds = quotedIn(file, comparison).flatMap(({ source, index }) => {
    const kind = kindName.exec(source)?.[1];
    return kind && !metaKind.test(kind) ? [{ named: kind, index }] : [];
  });
  const names = quotedIn(file, pluralComparison).flatMap(({ source, index }) => {
    const name = /"(\w+)"/.exec(source)?.[1];
    return name && plurals.has(name) ? [{ named: name, index }] : [];
  });
  const imported = Array.from(file.text.matchAll(handles)).flatMap(({ 1: list = "", index }) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => /^[a-z]/.test(name) && !name.startsWith("type "))
      .map((named) => ({ named, index })),
  );
  return [...kinds, ...names, ...imported].map(({ named, index }) => ({
    path: file.path,
    line: lineAt(file.text, index),
    message: `generic code knows no ${named}: let the resource's declaration say it`,
  }));
}

function lookups(file: SourceFile, plurals: ReadonlySet<string>): Finding[] {
  return quotedIn(file, lookup).flatMap(({ source, index }) => {
    const name = Array.from(source.matchAll(/"(\w+)"/g), ([, one = ""]) => one).at(-1) ?? "";
    if (!plurals.has(name)) return [];
    const message = `"${name}" is looked up by text: use the handle of #/api`;
    return [{ path: file.path, line: lineAt(file.text, index), message }];
  });
}

/** Where a pattern matches code, as the source has it there. Texts are blank in the pattern, so that none matches inside. */
function quotedIn({ text }: SourceFile, pattern: RegExp): { source: string; index: number }[] {
  return Array.from(blankLiterals(text).matchAll(pattern), ({ index, 0: { length } }) => {
    return { source: text.slice(index, index + length), index };
  });
}
