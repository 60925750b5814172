/** Arguments of the form KEY=VALUE and KEY-. Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go. */
import { CommandError } from "./errors.ts";

interface SplitArguments {
  readonly resources: string[];
  readonly pairs: string[];
}

const isPair = (argument: string): boolean =>
  (argument.includes("=") && !argument.startsWith("=")) ||
  (argument.endsWith("-") && argument !== "-");

/** Arguments that name resources, and the changes after them. */
export function splitPairs(args: readonly string[], pairType: string): SplitArguments {
  const first = args.findIndex(isPair);
  if (first < 0) return { resources: [...args], pairs: [] };
  const pairs = args.slice(first);
  const stray = pairs.find((argument) => !isPair(argument));
  if (stray !== undefined) {
    throw new CommandError(`all resources must be specified before ${pairType} changes: ${stray}`);
  }
  return { resources: args.slice(0, first), pairs };
}

export interface Changes {
  readonly set: Record<string, string>;
  readonly remove: string[];
}

/** The keys to set, and the keys to remove if that is allowed. */
export function parsePairs(
  pairs: readonly string[],
  pairType: string,
  { removable }: { readonly removable: boolean },
): Changes {
  const set: Record<string, string> = {};
  const remove: string[] = [];
  const invalid: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals > 0) set[pair.slice(0, equals)] = pair.slice(equals + 1);
    else if (removable && pair.endsWith("-") && pair !== "-") remove.push(pair.slice(0, -1));
    else invalid.push(pair);
  }
  if (invalid.length > 0) {
    throw new CommandError(`invalid ${pairType} format: ${invalid.join(", ")}`);
  }
  return { set, remove };
}
