/** Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/builder.go (ResourceTypeOrNameArgs). */
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import type { ChosenNamespace } from "../command/cluster-access.ts";
import type { BuilderOptions } from "./builder.ts";

export interface ResourceTuple {
  readonly type: string;
  readonly name: string;
}

interface ResourceArguments {
  readonly types: string[];
  readonly names: readonly string[];
  readonly tuples: ResourceTuple[];
  /** True if there are types without a name. */
  readonly isTypeOnly: boolean;
}

/** The flags for files that a command has. */
interface FileFlags {
  readonly filename: readonly string[];
  readonly kustomize?: string;
  readonly recursive?: boolean;
}

/** The files of the flags; their objects must be in the namespace of the command line, if it names one. */
export function fileOptions(
  { filename, kustomize = "", recursive = false }: FileFlags,
  { namespace, explicit }: ChosenNamespace,
): BuilderOptions {
  return {
    namespace,
    enforceNamespace: explicit && (filename.length > 0 || kustomize !== ""),
    filenames: filename,
    kustomize,
    recursive,
  };
}

/** The distinct types of `a,b,c`. */
function splitTypes(argument: string): string[] {
  return [...new Set(argument.split(","))];
}

/** Parses `TYPE NAME…`, `TYPE,TYPE NAME…`, `TYPE/NAME…`; categories are replaced by their members. */
export async function parseArguments(
  given: readonly string[],
  expandCategory: (name: string) => Promise<string[] | undefined>,
): Promise<ResourceArguments> {
  const args = combined(given);
  const slashes = args.filter((arg) => arg.includes("/")).length;
  if (slashes > 0 && slashes < args.length) throw mixed();
  if (slashes > 0) {
    return { types: [], names: [], tuples: args.map(splitTuple), isTypeOnly: false };
  }
  const [first, ...names] = args;
  if (first === undefined) return { types: [], names: [], tuples: [], isTypeOnly: false };
  const parts: string[] = [];
  for (const part of first.split(",")) parts.push(...((await expandCategory(part)) ?? [part]));
  return { types: [...new Set(parts)], names, tuples: [], isTypeOnly: names.length === 0 };
}

/** Several types with names are combined: each type with each name. */
function combined(args: readonly string[]): string[] {
  const [first, ...names] = args;
  const types = first === undefined ? [] : splitTypes(first);
  if (names.length === 0 || types.length < 2) return [...args];
  return types.flatMap((type) => names.map((name) => `${type}/${name}`));
}

function mixed(): CommandError {
  return new CommandError(
    "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form " +
      "(e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
  );
}

function splitTuple(argument: string): ResourceTuple {
  const [type = "", name = "", ...rest] = argument.split("/");
  if (rest.length > 0) {
    throw new CommandError("arguments in resource/name form may not have more than one slash");
  }
  if (type === "" || name === "" || splitTypes(type).length !== 1) {
    throw new CommandError("arguments in resource/name form must have a single resource and name");
  }
  return { type, name };
}

/** Parses an argument that must be TYPE/NAME. */
export function splitName(argument: string): ResourceTuple {
  if (argument.includes("/")) return splitTuple(argument);
  throw new CommandError(`the argument ${goQuote(argument)} must be RESOURCE/NAME`);
}
