import type { EnvironmentVariable } from "../state/pod-services.ts";

const reference = /\$(?:\$|\(([^)]*)\))/g;

/**
 * Replaces `$(NAME)` by the result of `lookup`; `$$` stands for `$`. Other uses of a dollar are left unchanged.
 *
 * Upstream: third_party/forked/golang/expansion/expand.go.
 */
export function expandVariables(text: string, lookup: (name: string) => string): string {
  return text.replace(reference, (match, name: string | undefined) =>
    match === "$$" ? "$" : lookup(name ?? ""),
  );
}

/** The value of a variable, or its reference unchanged if there is none. */
export function lookupIn(
  ...sources: readonly ReadonlyMap<string, string>[]
): (name: string) => string {
  return (name) => sources.find((source) => source.has(name))?.get(name) ?? `$(${name})`;
}

/** A command or its arguments with the container's variables in place. */
export function expandWords(
  words: readonly string[] | undefined,
  environment: readonly EnvironmentVariable[],
): string[] {
  const lookup = lookupIn(variableMap(environment));
  return (words ?? []).map((word) => expandVariables(word, lookup));
}

/** A volume mount's subPathExpr with variables in place; each of them has to have a value. */
export function expandSubPath(
  expression: string,
  environment: readonly EnvironmentVariable[],
): string {
  const variables = variableMap(environment);
  const missing = new Set<string>();
  const expanded = expandVariables(expression, (name) => {
    const value = variables.get(name) ?? "";
    if (value === "") missing.add(name);
    return value;
  });
  if (missing.size > 0) throw new Error(`missing value for ${[...missing].sort().join(", ")}`);
  return expanded;
}

function variableMap(environment: readonly EnvironmentVariable[]): Map<string, string> {
  return new Map(environment.map(({ name, value }) => [name, value]));
}
