/** Width (columns) of a page of help: the narrowest usual terminal. */
const columns = 80;

/** A text whose paragraphs are broken anew at 80 columns; lines that begin with blanks stay as they are. */
export function wrapParagraphs(text: string): string {
  return text
    .split("\n\n")
    .map((part) => (/^ /m.test(part) ? part : wrapped(part)))
    .join("\n\n");
}

function wrapped(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join("\n");
}
