import type { Finding, SourceFile } from "./source-file.ts";

/** Limit of a line of Markdown (columns): what `.editorconfig` sets, so that two files fit side by side. */
const maxColumns = 120;

/** Lines of Markdown fit into the columns of `.editorconfig`. Tables, code and single words cannot be wrapped. */
export function checkWideLines(documents: readonly SourceFile[]): Finding[] {
  return documents.flatMap(({ path, text }) => {
    let isCode = false;
    return text.split("\n").flatMap((line, index) => {
      if (line.trimStart().startsWith("```")) isCode = !isCode;
      if (isCode || line.length <= maxColumns || line.startsWith("|") || isOneWord(line)) return [];
      const message = `${line.length} columns: wrap the paragraph at ${maxColumns}`;
      return [{ path, line: index + 1, message }];
    });
  });
}

const isOneWord = (line: string): boolean =>
  !/\S\s\S/.test(line.replace(/^\s*(?:[-*>]|\d+\.)\s+/, ""));
