import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** A line, in a template, that the sources of running programs lack: see src/std/process/source-pack.ts. */
const lost = /(?<=\n)[ \t]*\/[/*]|[ \t](?=\n)/g;

/** Lines of templates that look like comments, or end with blanks. */
export function checkTemplateLines(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => path.startsWith("src/") && !isTest(path))
    .flatMap(({ path, text }) => {
      const found: Finding[] = [];
      blankLiterals(text, (part, index) => {
        for (const match of part.matchAll(lost)) {
          const line = lineAt(text, index + match.index);
          const message = "this part of a template is cut off when it runs: write it as a string";
          found.push({ path, line, message });
        }
      });
      return found;
    });
}
