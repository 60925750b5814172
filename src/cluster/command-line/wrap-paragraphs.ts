import { wrapWords } from "#/std/text/wrap-words.ts";

/** Width (columns) of a page of help: the narrowest usual terminal. */
const columns = 80;

/** Fills the lines of each paragraph up to 80 columns. Paragraphs with lines that begin with blanks stay as they are. */
export function wrapParagraphs(text: string): string {
  return text
    .split("\n\n")
    .map((part) => (/^ /m.test(part) ? part : wrapWords(part.replaceAll(/\s+/g, " "), columns)))
    .join("\n\n");
}
