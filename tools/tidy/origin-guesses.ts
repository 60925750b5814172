import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** A schema's name, asked for whether it is there: `=== undefined`, `!schema.name`, `schema.name &&`, `schema.name ? …`. */
const guess =
  /\b(?:\w*schema|root)\??\.name\s*[!=]==?\s*undefined\b|![\w.#?]*\bschema\??\.name\b(?!\s*[.?[(])|\bschema\??\.name\s*(?:&&|\|\||\?(?![.?]))/gi;

/**
 * Whether a schema has a name says nothing of what a resource can do: the declaration of the resource says that (`Origin`), or the
 * schema itself (`unstructured`).
 */
export function checkOriginGuesses(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ path }) => path.startsWith("src/") && !isTest(path)).flatMap(fileFindings);
}

function fileFindings({ path, text }: SourceFile): Finding[] {
  return [...blankLiterals(text).matchAll(guess)].map((match) => ({
    path,
    line: lineAt(text, match.index),
    message: "a schema without a name is no property: ask the declaration, or schema.unstructured",
  }));
}
