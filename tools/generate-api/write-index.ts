import type { GroupVersion } from "../../src/api/base/facts.ts";
import type { Resource } from "../../src/api/base/resource.ts";
import { writeLiteral } from "./write-literal.ts";
import { constantName } from "./write-resources.ts";

/** The list of every resource, in the order of discovery. */
export function writeIndex(
  modules: readonly { readonly file: string; readonly resources: readonly Resource[] }[],
): string {
  const alias = (file: string): string =>
    file.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const imports = modules.map(({ file }): [string, string] => [
    `./${file}.ts`,
    `import * as ${alias(file)} from "./${file}.ts";\n`,
  ]);
  imports.push(["./base/resource.ts", 'import type { Resource } from "./base/resource.ts";\n']);
  const items = modules.flatMap(({ file, resources }) =>
    resources.map((resource) => `  ${alias(file)}.${constantName(resource)},\n`),
  );
  const doc =
    "/** Every built-in resource in every version, in the order of discovery: the preferred version of a group is first. */\n";
  const list = `export const resources: readonly Resource[] = [\n${items.join("")}];\n`;
  return `${sortImports(imports).join("")}\n${doc}${list}`;
}

/** In the formatter's order: a folder before the files that begin with its name. */
function sortImports(imports: readonly (readonly [file: string, line: string])[]): string[] {
  const key = (file: string): string => file.replaceAll("/", "\0");
  return [...imports].sort(([a], [b]) => (key(a) < key(b) ? -1 : 1)).map(([, line]) => line);
}

/** The list of all group versions: small, so that a program can find one without reading the facts of all. */
export function writeGroupVersions(versions: readonly GroupVersion[]): string {
  const imports = 'import type { GroupVersion } from "./base/facts.ts";\n';
  const doc =
    "/** Every group version there are facts of: those that are served, in the order of discovery, then the rest. */\n";
  const list = `export const groupVersions: readonly GroupVersion[] = ${writeLiteral(versions, "")};\n`;
  return `${imports}\n${doc}${list}`;
}
