/** The modules that a module imports. */
interface ModuleImports {
  /** Needed before it runs. */
  readonly first: readonly string[];
  /** Loaded later, by import(). */
  readonly later: readonly string[];
}

const firstImport = /(?:^|[;}\s])(?:import|export)\b[^"'`;()]*?\bfrom\s*["']([^"'\n]+)["']/g;
const sideEffect = /(?:^|[;}\s])import\s*["']([^"'\n]+)["']/g;
const laterImport = /\bimport\s*\(\s*["']([^"'\n]+)["']\s*\)/g;

/** The specifiers of a module without types and comments, each once, in order. */
export function importsOf(source: string): ModuleImports {
  const find = (pattern: RegExp) =>
    Array.from(source.matchAll(pattern), ([, specifier = ""]) => specifier);
  const first = [...new Set([...find(firstImport), ...find(sideEffect)])];
  return { first, later: [...new Set(find(laterImport))] };
}
