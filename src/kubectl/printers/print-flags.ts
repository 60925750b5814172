/** Upstream: staging/src/k8s.io/cli-runtime/pkg/genericclioptions/{print,json_yaml,jsonpath,template}_flags.go. */
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";

export const jsonPathFormats: readonly string[] = ["jsonpath", "jsonpath-as-json", "jsonpath-file"];
export const templateFormats: readonly string[] = [
  "go-template",
  "go-template-file",
  "template",
  "templatefile",
];

/** The output formats of all commands. */
export const objectFormats: readonly string[] = [
  "json",
  "yaml",
  "kyaml",
  "name",
  ...templateFormats,
  ...jsonPathFormats,
];

/** Flags for printing the objects of a command. */
export const printFlags = {
  output: {
    type: "string",
    shorthand: "o",
    help: `Output format. One of: (${objectFormats.join(", ")}).`,
  },
  template: {
    type: "string",
    help:
      "Go template, or path of a file with one, for -o=go-template and -o=go-template-file. " +
      "The format is described at http://golang.org/pkg/text/template/#pkg-overview",
  },
  "allow-missing-template-keys": {
    type: "bool",
    default: true,
    help:
      "Ignore fields and map keys that a template uses and the object does not have. " +
      "Applies to the output formats Go template and JSONPath only",
  },
  "show-managed-fields": {
    type: "bool",
    help: "Keep managedFields when objects are printed as JSON or YAML",
  },
} satisfies FlagSet;

export type PrintValues = FlagValues<typeof printFlags>;

export type DryRun = "none" | "client" | "server";

const dryRunSuffix: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};

/** The operation, with a note on a dry run. */
export function operationText(operation: string, dryRun: DryRun = "none"): string {
  return `${operation}${dryRunSuffix[dryRun]}`;
}
