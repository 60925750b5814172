import type { GoConstant, GoExpression, GoField, GoFile, GoMarkers, GoType } from "./go-types.ts";

/** Reads the types and string constants out of one Go file. It relies on the layout that gofmt gives. */
export function parseGo(source: string, packagePath: string): GoFile {
  const lines = source.replace(/^\s*\/\*[\s\S]*?\*\/$/gm, "").split("\n");
  const scope: Scope = { packagePath, imports: parseImports(source) };
  const types: GoType[] = [];
  const constants: GoConstant[] = [];
  let comment: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("//")) {
      comment.push(line.slice(2).trim());
      continue;
    }
    const structName = /^type (\w+) struct \{$/.exec(line)?.[1];
    const block = structName || line === "const (" ? blockAfter(lines, at) : [];
    if (structName) {
      types.push({
        kind: "struct",
        name: structName,
        markers: parseMarkers(comment),
        fields: parseFields(block, scope),
      });
    } else if (line.startsWith("type ")) {
      const declared = parseDeclaration(line, parseMarkers(comment), scope);
      if (declared) types.push(declared);
    } else if (line.startsWith("const ")) {
      const entries = line === "const (" ? block : [line.slice("const ".length)];
      constants.push(...entries.flatMap((entry) => parseConstant(entry, scope)));
    }
    at += block.length;
    comment = [];
  }
  return { types, constants };
}

interface Scope {
  readonly packagePath: string;
  readonly imports: ReadonlyMap<string, string>;
}

/** The lines between an opening line and the first line that is its closing bracket. */
function blockAfter(lines: readonly string[], opening: number): string[] {
  const length = lines.slice(opening + 1).findIndex((line) => line === "}" || line === ")");
  return lines.slice(opening + 1, opening + 1 + length);
}

function parseImports(source: string): Map<string, string> {
  const imports = new Map<string, string>();
  for (const [, name, path] of source.matchAll(/^(?:import |\t)(\w+ )?"([\w./-]+)"$/gm)) {
    if (path) imports.set(name?.trim() ?? path.slice(path.lastIndexOf("/") + 1), path);
  }
  return imports;
}

function parseMarkers(comment: readonly string[]): GoMarkers {
  const markers = new Map<string, string[]>();
  for (const line of comment) {
    const [, name, value] = /^\+([\w:.-]+)(?:=(.*))?$/.exec(line) ?? [];
    if (name) markers.set(name, [...(markers.get(name) ?? []), value ?? ""]);
  }
  return markers;
}

function parseDeclaration(line: string, markers: GoMarkers, scope: Scope): GoType | undefined {
  const [, name, alias, type] = /^type (\w+) (= )?(.+)$/.exec(line) ?? [];
  if (!name || !type) throw new Error(`${scope.packagePath}: cannot read "${line}"`);
  if (type === "struct{}" || type === "struct {}")
    return { kind: "struct", name, markers, fields: [] };
  const expression = parseExpression(type, scope);
  if (alias) return { kind: "alias", name, markers, target: expression };
  return expression.kind === "other"
    ? undefined
    : { kind: "defined", name, markers, underlying: expression };
}

function parseFields(block: readonly string[], scope: Scope): GoField[] {
  const fields: GoField[] = [];
  let comment: string[] = [];
  for (const line of block.map((text) => text.trim())) {
    if (line.startsWith("//")) {
      comment.push(line.slice(2).trim());
      continue;
    }
    if (line !== "") fields.push(...parseField(line, parseMarkers(comment), scope));
    comment = [];
  }
  return fields;
}

function parseField(line: string, markers: GoMarkers, scope: Scope): GoField[] {
  const [, declaration = "", tag = ""] =
    /^([^`]*?)\s*(?:`([^`]*)`)?\s*(?:\/\/.*)?$/.exec(line) ?? [];
  const tags = parseTags(tag);
  const [, names, type] = /^(\w+(?:, \w+)*)\s+(.+)$/.exec(declaration) ?? [];
  if (names && type) {
    const expression = parseExpression(type, scope);
    return names
      .split(", ")
      .map((name) => ({ name, embedded: false, type: expression, tags, markers }));
  }
  const expression = parseExpression(declaration, scope);
  const name = declaration.slice(declaration.lastIndexOf(".") + 1).replace("*", "");
  return [{ name, embedded: true, type: expression, tags, markers }];
}

function parseTags(tag: string): Map<string, string> {
  return new Map(
    [...tag.matchAll(/(\w+):"([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
}

/** `Name Type = value` or `Name = Type(value)`, where the value is a string or the name of another constant. */
function parseConstant(line: string, scope: Scope): GoConstant[] {
  const [, name, left, right] =
    /^\t?(\w+)(?:\s+([\w.]+))?\s+=\s+(\S.*?)(?:\s*\/\/[^"]*)?$/.exec(line) ?? [];
  const [, conversion, converted] = /^([\w.]+)\((.*)\)$/.exec(right ?? "") ?? [];
  const [type, value] = [left ?? conversion, converted ?? right];
  if (!name || !type || !value) return [];
  const [text] = /^"(?:[^"\\]|\\.)*"/.exec(value) ?? [];
  if (!text && !/^[\w.]*[A-Za-z_][\w.]*$/.test(value)) return [];
  return [
    {
      name,
      type: parseExpression(type, scope),
      value: text ? (JSON.parse(text) as string) : parseExpression(value, scope),
    },
  ];
}

/** Reads a type expression; what an API type cannot hold (functions, channels, interfaces…) is "other". */
function parseExpression(text: string, scope: Scope): GoExpression {
  if (text.startsWith("*")) return { kind: "pointer", to: parseExpression(text.slice(1), scope) };
  if (text.startsWith("[]")) return { kind: "list", items: parseExpression(text.slice(2), scope) };
  const [, key, values] = /^map\[([\w.]+)\](.+)$/.exec(text) ?? [];
  if (key && values) return { kind: "map", values: parseExpression(values, scope) };
  if (text === "interface{}" || text === "any") return { kind: "name", package: "", name: "any" };
  const [, qualifier, name] = /^(?:(\w+)\.)?(\w+)$/.exec(text) ?? [];
  if (!name) return { kind: "other" };
  if (qualifier) return { kind: "name", package: scope.imports.get(qualifier) ?? qualifier, name };
  const builtIn = /^(string|bool|byte|error|u?int(8|16|32|64)?|float(32|64))$/.test(name);
  return { kind: "name", package: builtIn ? "" : scope.packagePath, name };
}
