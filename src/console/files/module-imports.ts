import { withoutComments } from "#/std/process/source-pack.ts";

/** The modules that a module imports when it runs. */
interface ModuleImports {
  /** Needed before it runs. */
  readonly first: readonly string[];
  /** Loaded later, by import(). */
  readonly later: readonly string[];
}

const firstImport =
  /(?:^|[;}\s])(?:import|export)\b(?!\s+type\b)[^"'`;()]*?\bfrom\s*["']([^"'\n]+)["']/g;
const sideEffect = /(?:^|[;}\s])import\s*["']([^"'\n]+)["']/g;
const laterImport = /\bimport\s*\(\s*["']([^"'\n]+)["']\s*\)/g;

/** The specifiers of a module, each once, in order. Imports of types are left out: browsers get none. */
export function importsOf(source: string): ModuleImports {
  const code = withoutComments(source);
  const find = (pattern: RegExp) =>
    Array.from(code.matchAll(pattern), ([, specifier = ""]) => specifier);
  const first = [...new Set([...find(firstImport), ...find(sideEffect)])];
  return { first, later: [...new Set(find(laterImport))] };
}
