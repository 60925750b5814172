/** A part of a line of YAML with its meaning, for colours. */
interface YamlPart {
  readonly text: string;
  readonly look: "key" | "text" | "number" | "word" | "comment" | "mark" | "";
}

const line =
  /^(\s*(?:- )*)(?:("(?:[^"\\]|\\.)*"|'[^']*'|[^\s:#"'][^:#]*?|[^\s"'#][^\s]*?)(:)(?=\s|$))?(.*)$/;

/** The parts of a line as our own writer formats it. */
export function yamlParts(text: string): YamlPart[] {
  const [, indent = "", key, colon = "", rest = ""] = line.exec(text) ?? [];
  if (key === undefined)
    return [{ text: indent, look: "mark" }, valuePart(text.slice(indent.length))];
  return [
    { text: indent, look: "mark" },
    { text: key, look: "key" },
    { text: colon, look: "mark" },
    valuePart(rest),
  ];
}

function valuePart(text: string): YamlPart {
  const value = text.trim();
  if (value === "") return { text, look: "" };
  if (value.startsWith("#")) return { text, look: "comment" };
  if (/^-?\d+(\.\d+)?$/.test(value)) return { text, look: "number" };
  if (/^(true|false|null|\{\}|\[\]|[|>][+-]?\d?)$/.test(value)) return { text, look: "word" };
  return { text, look: "text" };
}
