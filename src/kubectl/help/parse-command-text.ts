/** The text of a command's help before its flags. */
export interface CommandText {
  /** Paragraphs, lists and command lines, as help prints them. */
  readonly description: string;
  /** Comments and command lines, indented; empty if there are none. */
  readonly examples: string;
}

const examplesTitle = "\nExamples:\n";

/** Parses the text of a file. Lines of a paragraph are joined, as they are wrapped for the terminal. */
export function parseCommandText(text: string): CommandText {
  const at = text.indexOf(examplesTitle);
  const [description, examples] =
    at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + examplesTitle.length)];
  return {
    description: description
      .trim()
      .split(/\n{2,}/)
      .map(renderBlock)
      .join("\n\n")
      .trim(),
    // The line between examples consists of the indentation only.
    examples: examples.trimEnd().replaceAll("\n\n", "\n  \n"),
  };
}

/** A block of a description, indented as upstream's renderer indents it: 1 for text, 2 for lists, 8 for command lines. */
function renderBlock(block: string): string {
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith("    "))) {
    return lines.map((line) => `        ${line.trim()}`).join("\n");
  }
  const joined = block.replaceAll(/\n(?!\* |\d+\. )\s*/g, " ");
  if (!/^(?:\*|\d+\.) /.test(joined)) return ` ${joined}`;
  return joined.replaceAll(/^(\*|\d+\.) /gm, "  $1  ");
}
