/** Flags that several commands share. Upstream: k8s.io/kubectl/pkg/cmd/util/helpers.go. */
import type { FlagSet } from "#/std/flags.ts";
import { goQuote } from "#/std/go-quote.ts";
import { parseGoBool } from "#/std/strconv.ts";
import type { Context } from "../context.ts";
import { CommandError } from "../errors.ts";
import { klog } from "../klog.ts";
import type { DryRun } from "../printers/print-flags.ts";

/** -f, -k and -R. */
export const filenameFlags = {
  filename: { type: "stringSlice", shorthand: "f", help: "File, folder or URL with the resources" },
  kustomize: {
    type: "string",
    shorthand: "k",
    help: "Kustomization folder to process. Can't be used together with -f or -R",
  },
  recursive: {
    type: "bool",
    shorthand: "R",
    help: "Process the folders of -f with all folders in them",
  },
} satisfies FlagSet;

export const dryRunFlag = {
  "dry-run": {
    type: "string",
    default: "none",
    bare: "unchanged",
    help:
      'Must be "none", "server", or "client". With client, only print what would be sent. ' +
      "With server, send the request without keeping its outcome",
  },
} satisfies FlagSet;

export const validateFlag = {
  validate: {
    type: "string",
    default: "strict",
    bare: "strict",
    help:
      "Must be one of: strict (or true), warn, ignore (or false). What the server does about unknown and " +
      "duplicate fields: refuse, warn, or drop them silently",
  },
} satisfies FlagSet;

/** Writes the command line into an annotation of what it changes. */
export const recordFlag = {
  record: {
    type: "bool",
    help: "Keep the command line in an annotation of the object",
    deprecated: "--record will be removed in the future",
  },
} satisfies FlagSet;

/** What is put over an object that a command makes. */
export const overrideFlags = {
  overrides: { type: "string", help: "JSON that is put over the object which is made" },
  "override-type": {
    type: "string",
    default: "merge",
    help: "How it is put over the object: json, merge, or strategic.",
  },
} satisfies FlagSet;

export const selectorFlag = {
  selector: {
    type: "string",
    shorthand: "l",
    help: "Labels to filter on, with '=', '==', '!=', 'in' and 'notin' (-l key1=value1,key2=value2)",
  },
} satisfies FlagSet;

export const fieldSelectorFlag = {
  "field-selector": {
    type: "string",
    help: "Fields to filter on, with '=', '==' and '!='. Which fields there are depends on the type",
  },
} satisfies FlagSet;

export const chunkSizeFlag = {
  "chunk-size": {
    type: "int",
    default: 500,
    help: "Read long lists in chunks of this size; 0 reads them at once",
  },
} satisfies FlagSet;

export const saveConfigFlag = {
  "save-config": {
    type: "bool",
    help: "Keep the configuration in an annotation of the object, for a later kubectl apply",
  },
} satisfies FlagSet;

export const containerFlag = {
  container: {
    type: "string",
    shorthand: "c",
    help: "Container to use; else the one of the kubectl.kubernetes.io/default-container annotation, or the first",
  },
} satisfies FlagSet;

/** --pod-running-timeout with a default of the command's. */
export function podTimeoutFlag(defaultMs: number) {
  return {
    "pod-running-timeout": {
      type: "duration",
      default: defaultMs,
      help: "How long to wait for a running Pod",
    },
  } satisfies FlagSet;
}

/** Of commands that connect the user with a container. */
export const streamFlags = {
  ...podTimeoutFlag(60_000),
  stdin: { type: "bool", shorthand: "i", help: "Pass the standard input to the container" },
  tty: { type: "bool", shorthand: "t", help: "The standard input is a terminal" },
  quiet: { type: "bool", shorthand: "q", help: "Print only what comes from the container" },
} satisfies FlagSet;

/** --field-manager with a default of the command's. */
export function fieldManagerFlag<Name extends string>(name: Name) {
  return {
    "field-manager": {
      type: "string",
      default: name as string,
      help: "Name under which the server keeps which fields were set",
    },
  } as const satisfies FlagSet;
}

export function allNamespacesFlag(help = "Look in all namespaces, whatever --namespace says") {
  return { "all-namespaces": { type: "bool", shorthand: "A", help } } as const satisfies FlagSet;
}

export function subresourceFlag(help: string) {
  return { subresource: { type: "string", help } } as const satisfies FlagSet;
}

/** What --dry-run asks for. */
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

/** What --validate asks for. */
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

/** A line as klog writes warnings. */
export function warnLog(context: Context, text: string): void {
  klog(context, "W", "helpers.go:1", text);
}
