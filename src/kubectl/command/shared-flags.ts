/** Flags that several commands share. Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { parseGoBool } from "#/std/go/strconv.ts";
import { CommandError } from "../base/errors.ts";
import { klog } from "../base/klog.ts";
import type { DryRun } from "../printers/print-flags.ts";
import type { Context } from "./context.ts";

/** -f, -k and -R. */
export const filenameFlags = {
  filename: {
    type: "stringSlice",
    shorthand: "f",
    help: "File, directory or URL with the objects. May be repeated; - is the standard input",
  },
  kustomize: {
    type: "string",
    shorthand: "k",
    help:
      "Directory with a kustomization.yaml whose objects are meant. Cannot be used together " +
      "with -f or -R",
  },
  recursive: {
    type: "bool",
    shorthand: "R",
    help:
      "Also process the directories inside of those that -f, --filename names. Useful for " +
      "manifests that belong together and are kept in one tree",
  },
} satisfies FlagSet;

export const dryRunFlag = {
  "dry-run": {
    type: "string",
    default: "none",
    bare: "unchanged",
    help:
      'Must be "none", "server", or "client". With client, print the object that would be ' +
      "sent without sending it. With server, send the request, and let the server process " +
      "it without storing the result",
  },
} satisfies FlagSet;

export const validateFlag = {
  validate: {
    type: "string",
    default: "strict",
    bare: "strict",
    help:
      "Must be one of: strict (or true), warn, ignore (or false). What happens to unknown " +
      'and duplicate fields. With "strict", the request fails; the server validates if it ' +
      "has ServerSideFieldValidation, otherwise kubectl does, which is less reliable. With " +
      '"warn", the server accepts the request and warns; without ServerSideFieldValidation ' +
      'it is the same as "ignore". With "ignore", nothing is validated, and such fields are ' +
      "dropped silently",
  },
} satisfies FlagSet;

/** Records the command line in an annotation of the changed object. */
export const recordFlag = {
  record: {
    type: "bool",
    help: "Record the command line in an annotation of the object",
    deprecated: "--record will be removed in the future",
  },
} satisfies FlagSet;

/** Overrides for an object that a command creates. */
export const overrideFlags = {
  overrides: {
    type: "string",
    help:
      "JSON that is put over the generated object, if it is not empty. It must contain a " +
      "valid apiVersion",
  },
  "override-type": {
    type: "string",
    default: "merge",
    help: "How that is done: json, merge, or strategic",
  },
} satisfies FlagSet;

export const selectorFlag = {
  selector: {
    type: "string",
    shorthand: "l",
    help:
      "Label selector, with '=', '==', '!=', 'in' and 'notin' (-l " +
      "key1=value1,key2=value2,key3 in (value3)). Objects must match all of its " +
      "requirements",
  },
} satisfies FlagSet;

export const fieldSelectorFlag = {
  "field-selector": {
    type: "string",
    help:
      "Field selector, with '=', '==' and '!=' (--field-selector key1=value1,key2=value2). " +
      "The server supports only a few fields of each type",
  },
} satisfies FlagSet;

export const chunkSizeFlag = {
  "chunk-size": {
    type: "int",
    default: 500,
    help: "Read long lists in chunks of this many objects instead of at once. 0 turns this off",
  },
} satisfies FlagSet;

export const saveConfigFlag = {
  "save-config": {
    type: "bool",
    help:
      'Save the configuration of the object in its annotation, for a later "kubectl apply". ' +
      "Otherwise the annotation does not change",
  },
} satisfies FlagSet;

export const containerFlag = {
  container: {
    type: "string",
    shorthand: "c",
    help:
      "Name of the container. By default it is the one in the annotation " +
      "kubectl.kubernetes.io/default-container, or else the first container of the Pod",
  },
} satisfies FlagSet;

/** --pod-running-timeout with the command's default. */
export function podTimeoutFlag(defaultMs: number) {
  return {
    "pod-running-timeout": {
      type: "duration",
      default: defaultMs,
      help:
        "How long (such as 5s, 2m or 3h, more than zero) to wait until at least one Pod is " +
        "running",
    },
  } satisfies FlagSet;
}

/** Flags of commands that connect the user with a container. */
export const streamFlags = {
  ...podTimeoutFlag(60_000),
  stdin: { type: "bool", shorthand: "i", help: "Pass the standard input to the container" },
  tty: { type: "bool", shorthand: "t", help: "Treat the standard input as a terminal" },
  quiet: { type: "bool", shorthand: "q", help: "Print only the output of the container" },
} satisfies FlagSet;

/** --field-manager with the command's default. */
export function fieldManagerFlag<Name extends string>(name: Name) {
  return {
    "field-manager": {
      type: "string",
      default: name as string,
      help: "Name of the manager under which the server tracks the ownership of fields",
    },
  } as const satisfies FlagSet;
}

export function allNamespacesFlag(
  help = "All namespaces, even if the context or --namespace names one",
) {
  return { "all-namespaces": { type: "bool", shorthand: "A", help } } as const satisfies FlagSet;
}

export function subresourceFlag(help: string) {
  return { subresource: { type: "string", help } } as const satisfies FlagSet;
}

/** Parses --dry-run. */
export function dryRunOf(value: string, context: Context): DryRun {
  const known: Readonly<Record<string, DryRun>> = {
    none: "none",
    client: "client",
    server: "server",
  };
  const found = Object.hasOwn(known, value) ? known[value] : undefined;
  if (found) return found;
  if (value === "unchanged") {
    warnLog(context, "--dry-run is deprecated and can be replaced with --dry-run=client.");
    return "client";
  }
  const asBool = boolOf(value);
  if (asBool === undefined) {
    throw new CommandError(
      `Invalid dry-run value (${value}). Must be "none", "server", or "client".`,
    );
  }
  const instead = asBool ? "client" : "none";
  warnLog(
    context,
    `--dry-run=${value} is deprecated (boolean value) and can be replaced with --dry-run=${instead}.`,
  );
  return instead;
}

export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Parses --validate. */
export function validationOf(value: string): FieldValidation {
  const known: Readonly<Record<string, FieldValidation>> = {
    strict: "Strict",
    warn: "Warn",
    ignore: "Ignore",
  };
  const asBool = boolOf(value);
  if (asBool !== undefined) return asBool ? "Strict" : "Ignore";
  const found = Object.hasOwn(known, value) ? known[value] : undefined;
  if (found) return found;
  throw new CommandError(
    `invalid - validate option ${goQuote(value)}; must be one of: strict (or true), warn, ignore (or false)`,
  );
}

function boolOf(value: string): boolean | undefined {
  try {
    return parseGoBool(value);
  } catch {
    return undefined;
  }
}

/** A warning in klog's format. */
export function warnLog(context: Context, text: string): void {
  klog(context, "W", "helpers.go:1", text);
}
