/** Upstream: go.yaml.in/yaml/v3/{parserc,decode}.go. */

/**
 * goyaml's message for a text with a list item where a key is expected, the most common mistake in manifests:
 * it names the line before the mapping begins. Undefined if the line that the parser rejects has no item.
 */
export function misplacedItem(text: string, message: string): string | undefined {
  const found = /^yaml: line (\d+): mapping values are not allowed in this context$/.exec(message);
  const lines = text.split("\n");
  const fault = Number(found?.[1] ?? 0) - 1;
  const line = lines[fault];
  if (line === undefined || !/^ *- /.test(line)) return undefined;
  const start = mappingStart(lines, fault);
  return `yaml: line ${start > 0 ? start : fault}: did not find expected key`;
}

/** The index of the first line of the mapping that the item at a line interrupts. */
function mappingStart(lines: readonly string[], fault: number): number {
  const limit = indentOf(lines[fault] ?? "");
  let start = 0;
  let indent: number | undefined;
  for (let i = fault - 1; i >= 0; i--) {
    const line = lines[i] ?? "";
    if (/^ *(?:#.*)?$/.test(line)) continue;
    const own = indentOf(line);
    if (indent === undefined && own > limit) continue;
    indent ??= own;
    if (own < indent) break;
    if (own === indent) start = i;
  }
  // The first line that is not empty counts as the beginning of the text.
  return lines.slice(0, start).every((line) => line.trim() === "") ? 0 : start;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
