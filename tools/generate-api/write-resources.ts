import type { Resource } from "../../src/api/base/resource.ts";
import { fitsOnLine, writeLiteral } from "./write-literal.ts";

/** The module of one group version: the handles of its resources, and its types by way of another file. */
export function writeResources(resources: readonly Resource[], version: string): string {
  const definitions = `./${version}-definitions.ts`;
  const kinds = [...new Set(resources.map(({ kind }) => kind))].sort(ignoringCase);
  const imports = [
    'import type { Resource } from "../base/resource.ts";\n',
    writeNamed(`import type { ${kinds.join(", ")} } from "${definitions}";`, kinds),
  ];
  const handles = resources.map(
    (resource) =>
      `export const ${constantName(resource)}: Resource<${resource.kind}> = ${writeLiteral(resource, "")};\n`,
  );
  const reexport = `export type * from "${definitions}";\n`;
  return [...(resources.length > 0 ? [imports.join("")] : []), reexport, ...handles].join("\n");
}

/** The plural with the kind's capitals: networkpolicies of kind NetworkPolicy is networkPolicies. */
export function constantName({ kind, name }: Pick<Resource, "kind" | "name">): string {
  let shared = 0;
  while (shared < kind.length && kind[shared]?.toLowerCase() === name[shared]) shared++;
  const capitalised = kind.slice(0, shared) + name.slice(shared);
  return capitalised.replace(/^([A-Z]+(?=[A-Z][a-z])|[A-Z]+)/, (start) => start.toLowerCase());
}

function ignoringCase(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}

function writeNamed(line: string, names: readonly string[]): string {
  if (fitsOnLine(line)) return `${line}\n`;
  return `${line.replace(/\{.*\}/, () => `{\n${names.map((name) => `  ${name},\n`).join("")}}`)}\n`;
}
