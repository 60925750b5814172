/** The text of a head: its first line, and fields as alternating names and values. */
export function formatHead(firstLine: string, fields: readonly string[], more = ""): string {
  let text = `${firstLine}\r\n`;
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return `${text}${more}\r\n`;
}
